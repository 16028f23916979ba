package tuffet

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tuffet/internal/wire"
)

// An ErrorCode is sent to a client in an ERROR packet (RFC 1350 section 5, RFC 2347).
type ErrorCode uint8

// The codes.
const (
	NotDefined ErrorCode = iota
	FileNotFound
	AccessViolation
	DiskFull
	FileExists
	OptionRefused
)

func (c ErrorCode) String() string { return word(wire.ErrorCodes, c) }

// A Denial says no.
type Denial struct {
	Code ErrorCode
	// Sent to the client: short, no secrets. At most 200 bytes are sent.
	Message string
	// Logged, never sent.
	Reason string
}

// SessionValues are the numbers of a session that a client may negotiate; 0 means none.
type SessionValues struct {
	// Bytes in a block, 8 to 65464 (RFC 2348).
	Blksize uint16
	// Blocks in a window (RFC 7440).
	Windowsize uint16
	// Seconds before a packet is sent again (RFC 2349).
	Timeout uint8
}

// A Profile is how a transfer is negotiated and sent; 0 means as configured. sdk/wit/v0.2/policy.wit says how the profiles
// of several plugins combine.
type Profile struct {
	// The largest block that is granted, in bytes, 8 to 65464 (RFC 2348).
	Blksize uint16
	// The largest window that is granted, in blocks (RFC 7440).
	Windowsize uint16
	// The largest file that may be read or written, in bytes; nil means as configured.
	Bytes *uint64
	// The longest time that is acknowledged, in seconds (RFC 2349).
	Timeout uint8
	// The least that a session is served with: a client that negotiates less gets the error OptionRefused.
	Floors SessionValues
	// These take the place of the configured ceilings on blocks and windows, and of the configured time-outs.
	Overrides SessionValues
	// Blocks of a window that are sent at once; the others follow, paced.
	Burst uint16
	// The most bytes of file data in a second, at least 1024.
	Rate uint64
	// Options that are not acknowledged, such as multicast.
	RefuseOptions []string
}

// Limits is the name of [Profile] in version 0.1.0 of the interface, where it had ceilings alone.
type Limits = Profile

// A Target is a file in a configured root.
type Target struct {
	Root, Path string
}

// A Verdict answers [Authorizer]: [Abstain], [Allow], [Deny] or [Drop].
type Verdict interface{ verdict() }

// A Resolution answers [Resolver]: [Abstain], [Files], [FilesElseNext], [Content], [NamedContent], [Rendered] or [Deny].
type Resolution interface{ resolution() }

// A Rendering answers [Renderer]: [Content], [NamedContent], [Expiring] or [Deny].
type Rendering interface{ rendering() }

// Contents answer [Resolver] and [Renderer].
type Contents interface {
	Resolution
	Rendering
}

// An Acceptance answers [UploadGate]: [Abstain], [Accept], [Rename] or [Deny].
type Acceptance interface{ acceptance() }

// An Answer that every deciding hook may give. [Renderer] and [PartsRenderer] may deny, but not abstain.
type Answer interface {
	Verdict
	Resolution
	Rendering
	Beginning
	Part
	Acceptance
}

// The concrete answers; comparable where their contents are, for tests.
type (
	abstain struct{}
	allow   struct {
		blksize, windowsize uint16
		bytes               *uint64
		timeout             uint8
		floors, overrides   SessionValues
		burst               uint16
		rate                uint64
		// Separated by line breaks, so that answers stay comparable.
		refused string
	}
	drop  struct{}
	files struct {
		Targets  []Target
		elseNext bool
	}
	content struct {
		Bytes []byte
		// nil for none.
		Name *string
		// nil until the configuration is loaded again.
		TTL *uint32
	}
	rendered struct{ Key string }
	accept   struct{}
	rename   struct{ Path string }
)

func (abstain) verdict()     {}
func (abstain) resolution()  {}
func (abstain) acceptance()  {}
func (Denial) verdict()      {}
func (Denial) resolution()   {}
func (Denial) acceptance()   {}
func (allow) verdict()       {}
func (drop) verdict()        {}
func (files) resolution()    {}
func (abstain) rendering()   {}
func (Denial) rendering()    {}
func (content) resolution()  {}
func (content) rendering()   {}
func (rendered) resolution() {}
func (accept) acceptance()   {}
func (rename) acceptance()   {}

// Abstain has no opinion: the next plugin decides, then the configuration.
func Abstain() Answer { return abstain{} }

// Deny says no and ends the chain. The client gets an ERROR with code and message; the reason is for the log.
func Deny(code ErrorCode, message, reason string) Answer { return Denial{code, message, reason} }

// Allow says yes, unless a later plugin of the chain denies, with this profile.
func Allow(profile Profile) Verdict {
	return allow{
		profile.Blksize, profile.Windowsize, profile.Bytes, profile.Timeout, profile.Floors, profile.Overrides,
		profile.Burst, profile.Rate, strings.Join(profile.RefuseOptions, "\n"),
	}
}

// Drop says no, and the client gets no answer.
func Drop() Verdict { return drop{} }

// Files names candidates: the server serves the first that exists. A write goes to the first.
func Files(targets ...Target) Resolution { return files{targets, false} }

// FilesElseNext is as [Files]. But if none of them exists, the next plugin of the chain decides, and at the end the path is
// looked up in the roots. For a write there is no else.
func FilesElseNext(targets ...Target) Resolution { return files{targets, true} }

// Content is the answer itself; never to a write.
func Content(bytes []byte) Contents { return content{Bytes: bytes} }

// NamedContent is content with a name, which logs and observers see as content/NAME: at most 200 bytes of one line, as
// [OneLine] makes them.
func NamedContent(name string, bytes []byte) Contents { return content{Bytes: bytes, Name: &name} }

// OneLine returns a name for content: what is longer than 200 bytes is cut, and control characters become spaces.
func OneLine(text string) string {
	end := min(len(text), 200)
	for end > 0 && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Map(func(letter rune) rune {
		if unicode.IsControl(letter) {
			return ' '
		}
		return letter
	}, text[:end])
}

// Rendered is the content that the plugin's [Renderer] makes for this key, of 1 to 1024 bytes: once for all requests with
// the key. The server keeps it in memory while there is room. Never to a write.
func Rendered(key string) Resolution { return rendered{key} }

// Expiring is content that is rendered anew for the next request after ttl, which is rounded up to seconds. Other content
// holds until the configuration is loaded again.
func Expiring(contents Contents, ttl time.Duration) Rendering {
	its, _ := contents.(content)
	its.TTL = wire.Seconds(ttl)
	return its
}

// Accept says yes, unless a later plugin of the chain denies.
func Accept() Acceptance { return accept{} }

// Rename says yes, under this path in the same root, whose folder must exist.
func Rename(path string) Acceptance { return rename{path} }
