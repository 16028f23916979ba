package tuffet

import "tuffet/internal/wire"

// An Operation is what a client wants to do with a file.
type Operation uint8

// The operations.
const (
	Read Operation = iota
	Write
)

func (o Operation) String() string { return word(wire.Operations, o) }

// A Mode is a transfer mode of RFC 1350 section 1.
type Mode uint8

// The modes.
const (
	Octet Mode = iota
	Netascii
)

func (m Mode) String() string { return word(wire.Modes, m) }

// A MACSource is where a MAC address was learnt.
type MACSource uint8

// The sources, most trustworthy first: the kernel's neighbour table, the leases of a DHCP server, the requested name.
const (
	NeighbourTable MACSource = iota
	LeaseFile
	RequestedName
)

func (s MACSource) String() string { return word(wire.MACSources, s) }

// A MAC is a hint, not a credential: someone on the same network can forge every source of it.
type MAC struct {
	// Six lower-case hexadecimal octets with colons.
	Address string
	Source  MACSource
}

// A Client is who sent a request.
type Client struct {
	// Textual IP address; an IPv4-mapped IPv6 address is given as IPv4.
	Address string
	Port    uint16
	// Every known MAC address, most trustworthy source first. Empty without the grant client-mac.
	MACs []MAC
	// The kind of client, guessed from the shape of its request: ipxe, u-boot, curl, … or unknown.
	Class string
}

// A Pair is a name with a value.
type Pair struct {
	Name, Value string
}

// A Request is what a client sent.
type Request struct {
	// Stable for the life of the transfer; log lines carry the same.
	ID string
	// The name of the listener that received it.
	Listener  string
	Operation Operation
	Mode      Mode
	// The name as sent. Never use it as a path.
	Requested string
	// The normalised path below the virtual root: no leading slash, no . or ..
	Path   string
	Client Client
	// As the client sent them, names in lower case (RFC 2347).
	Options []Pair
	// Facts that later servers add.
	Attributes []Pair
}

// Option returns the value of a requested option, by its name in lower case.
func (r *Request) Option(name string) (string, bool) { return lookup(r.Options, name) }

// Attribute returns the value of an attribute.
func (r *Request) Attribute(name string) (string, bool) { return lookup(r.Attributes, name) }

// An Upload is complete and on disk, under a temporary name.
type Upload struct {
	// The name of the root that it goes to.
	Root string
	// The path in that root under which it becomes visible if it is accepted as it is.
	Path string
	// The size of the file. Differs from the bytes on the wire in netascii mode.
	Bytes uint64
	// 64 lower-case hexadecimal digits.
	SHA256 string
}

func lookup(pairs []Pair, name string) (string, bool) {
	for _, pair := range pairs {
		if pair.Name == name {
			return pair.Value, true
		}
	}
	return "", false
}

// word returns the word of the interface for a value.
func word[T ~uint8](words []string, value T) string {
	if int(value) < len(words) {
		return words[value]
	}
	return "unknown"
}
