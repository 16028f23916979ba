package tuffet

import "tuffet/internal/wire"

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

// Limits are ceilings that option negotiation respects; 0 means as configured.
type Limits struct {
	// Bytes in a block, 8 to 65464 (RFC 2348).
	Blksize uint16
	// Blocks in a window (RFC 7440).
	Windowsize uint16
	// The largest file that may be read or written, in bytes; nil means as configured.
	Bytes *uint64
}

// A Target is a file in a configured root.
type Target struct {
	Root, Path string
}

// A Verdict answers [Authorizer]: [Abstain], [Allow], [Deny] or [Drop].
type Verdict interface{ verdict() }

// A Resolution answers [Resolver]: [Abstain], [Files], [Content] or [Deny].
type Resolution interface{ resolution() }

// An Acceptance answers [UploadGate]: [Abstain], [Accept], [Rename] or [Deny].
type Acceptance interface{ acceptance() }

// An Answer that every deciding hook may give.
type Answer interface {
	Verdict
	Resolution
	Acceptance
}

// The concrete answers; comparable where their contents are, for tests.
type (
	abstain struct{}
	allow   struct{ Limits }
	drop    struct{}
	files   struct{ Targets []Target }
	content struct{ Bytes []byte }
	accept  struct{}
	rename  struct{ Path string }
)

func (abstain) verdict()    {}
func (abstain) resolution() {}
func (abstain) acceptance() {}
func (Denial) verdict()     {}
func (Denial) resolution()  {}
func (Denial) acceptance()  {}
func (allow) verdict()      {}
func (drop) verdict()       {}
func (files) resolution()   {}
func (content) resolution() {}
func (accept) acceptance()  {}
func (rename) acceptance()  {}

// Abstain has no opinion: the next plugin decides, then the configuration.
func Abstain() Answer { return abstain{} }

// Deny says no and ends the chain. The client gets an ERROR with code and message; the reason is for the log.
func Deny(code ErrorCode, message, reason string) Answer { return Denial{code, message, reason} }

// Allow says yes, unless a later plugin of the chain denies.
func Allow(limits Limits) Verdict { return allow{limits} }

// Drop says no, and the client gets no answer.
func Drop() Verdict { return drop{} }

// Files names candidates: the server serves the first that exists. A write goes to the first.
func Files(targets ...Target) Resolution { return files{targets} }

// Content is the answer itself; never to a write.
func Content(bytes []byte) Resolution { return content{bytes} }

// Accept says yes, unless a later plugin of the chain denies.
func Accept() Acceptance { return accept{} }

// Rename says yes, under this path in the same root, whose folder must exist.
func Rename(path string) Acceptance { return rename{path} }
