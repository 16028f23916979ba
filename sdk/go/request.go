package tuffet

import (
	"slices"
	"strings"
)

// An Operation is what a client wants to do with a file.
type Operation uint8

// The operations.
const (
	Read Operation = iota
	Write
)

func (o Operation) String() string { return word(o, "read", "write") }

// A Mode is a transfer mode of RFC 1350 section 1.
type Mode uint8

// The modes.
const (
	Octet Mode = iota
	Netascii
)

func (m Mode) String() string { return word(m, "octet", "netascii") }

// A MACSource is where a MAC address was learnt; later servers may know more.
type MACSource string

// The sources: the kernel's neighbour table, the leases of a DHCP server, the requested name.
const (
	NeighbourTable MACSource = "neighbour-table"
	LeaseFile      MACSource = "lease-file"
	RequestedName  MACSource = "requested-name"
)

// A MAC is a hint, not a credential: someone on the same network can forge every source of it.
type MAC struct {
	// Six lower-case hexadecimal octets with colons.
	Address string
	Source  MACSource
}

// MACAddresses are those of a client.
type MACAddresses struct {
	// What the network says, most trustworthy source first. Use these to decide who may do something.
	Network []MAC
	// What the client says: the address in the name that it asked for. Anybody can ask for any name. Use these to choose
	// among files that the client may have anyway.
	Claimed []MAC
}

// A Lease is that of the client's address, from the file of a DHCP server. What is absent is empty; what names a machine is
// there with the grant client-mac alone.
type Lease struct {
	MAC string
	// DHCP option 61, or the DUID of DHCPv6: hexadecimal octets with colons.
	ClientID string
	// DHCP option 97 (RFC 4578).
	UUID     string
	Hostname string
	// DHCP option 60.
	VendorClass string
	// DHCP option 93 (RFC 4578), in which 0 is a BIOS; nil for none.
	Architecture *uint16
	// In seconds since 1970-01-01T00:00:00Z; nil for a lease that does not end.
	Expires *uint64
	// Seconds since the file was read, or last seen unchanged.
	Age uint64
}

// An Arrival is where a request arrived. Each field needs its own fact in the manifest.
type Arrival struct {
	// The address that the request was sent to; for a broadcast, that of the interface.
	Address string
	// The name of the network interface.
	InterfaceName string
	// The VLAN of that interface; nil if it has none.
	VLAN *uint16
}

// A Client is who sent a request.
type Client struct {
	// Textual IP address; an IPv4-mapped IPv6 address is given as IPv4.
	Address string
	Port    uint16
	// nil without the grant client-mac; [Client.HasMAC], [Client.NetworkMACs] and [Client.ClaimedMACs] look into it.
	MACs *MACAddresses
	// nil without a lease, and if the manifest does not list the fact lease.
	Lease *Lease
	// The kind of client, guessed from the shape of its request: ipxe, u-boot, curl, … or unknown.
	Class string
}

// HasMAC returns whether the network says that the client has a MAC address: in any letter case, with colons, hyphens, dots
// or no separators. Without the grant client-mac it panics, so that the call of the hook fails.
func (c *Client) HasMAC(address string) bool {
	wanted := strings.ToLower(strings.NewReplacer(":", "", "-", "", ".", "").Replace(address))
	return slices.ContainsFunc(c.NetworkMACs(), func(its MAC) bool {
		return strings.ReplaceAll(its.Address, ":", "") == wanted
	})
}

// NetworkMACs returns the MAC addresses that the client has as the network says, most trustworthy source first. Without the
// grant client-mac it panics, so that the call of the hook fails.
func (c *Client) NetworkMACs() []MAC { return c.knownMACs().Network }

// ClaimedMACs returns the MAC addresses that the client claims, by the name that it asked for. Without the grant client-mac
// it panics, so that the call of the hook fails.
func (c *Client) ClaimedMACs() []MAC { return c.knownMACs().Claimed }

// AnyMACs returns all MAC addresses, those that the network knows first, and none without the grant client-mac: for records,
// never to decide who may do something.
func (c *Client) AnyMACs() []MAC {
	if c.MACs == nil {
		return nil
	}
	return slices.Concat(c.MACs.Network, c.MACs.Claimed)
}

func (c *Client) knownMACs() *MACAddresses {
	if c.MACs == nil {
		panic("the manifest does not ask for the grant client-mac, or the configuration does not give it")
	}
	return c.MACs
}

// A Pair is a name with a value.
type Pair struct {
	Name, Value string
}

// A Request is what a client sent.
type Request struct {
	// Unique among the requests of one process of the server, and the same in log lines and events.
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
	// nil if the manifest lists none of the facts local-address, interface and vlan.
	Arrival *Arrival
	// As the client sent them, names in lower case (RFC 2347).
	Options []Pair
	// When it arrived, in milliseconds since 1970; needs no grant. A rehearsal may have another time.
	UnixMS uint64
	// What plugins that were called before have attached, in the order of the calls; of each plugin the last.
	Labels []RequestLabel
	// raw-name: the bytes of the requested name in hexadecimal digits, if they are not UTF-8. unsafe-name: why the server
	// refuses the name unless resolve names a file for it; Path has U+FFFD in place of what is not safe then. case:
	// insensitive where every spelling of Path finds the file, also one that is new; compare names regardless of case
	// then. Later servers add more.
	Attributes []Pair
}

// A RequestLabel is a short text that a plugin has attached to a request.
type RequestLabel struct {
	// The name of the plugin in the configuration.
	Plugin, Text string
}

// LabelOf returns the label of a plugin that was called before; empty for none.
func (r *Request) LabelOf(plugin string) string {
	for _, label := range r.Labels {
		if label.Plugin == plugin {
			return label.Text
		}
	}
	return ""
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
	// The size of the file in bytes. Differs from what was on the wire in netascii mode.
	Size uint64
	// 64 lower-case hexadecimal digits.
	SHA256 string
	// Facts that later servers add.
	Attributes []Pair
}

func lookup(pairs []Pair, name string) (string, bool) {
	for _, pair := range pairs {
		if pair.Name == name {
			return pair.Value, true
		}
	}
	return "", false
}

// word returns the word of an enum of the interface.
func word[T ~uint8](value T, words ...string) string {
	if int(value) < len(words) {
		return words[value]
	}
	return "unknown"
}
