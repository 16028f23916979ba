// Package host has the calls of the server: in a component its imports, natively the stand-ins of tuffettest.
package host

// A Code is what an error of the server is about.
type Code string

// The codes.
const (
	NotGranted  Code = "not-granted"
	WrongPhase  Code = "wrong-phase"
	BadArgument Code = "bad-argument"
	BadPath     Code = "bad-path"
	NotAFile    Code = "not-a-file"
	Changed     Code = "changed"
	TooLarge    Code = "too-large"
	Quota       Code = "quota"
	Full        Code = "full"
	Exhausted   Code = "exhausted"
	Unavailable Code = "unavailable"
)

func (c Code) Error() string { return string(c) }

// An Error is why a call failed.
type Error struct {
	Code Code
	// The reason in words, for a log line.
	Message string
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the code.
func (e *Error) Unwrap() error { return e.Code }

// A Field of a log line, a label, a header.
type Field struct{ Name, Value string }

// Metadata of a file.
type Metadata struct {
	Size, ModifiedUnixMS uint64
	Version              string
}

// An Entry is a value and its revision.
type Entry struct {
	Value    []byte
	Revision uint64
}

// A Listed key, with its entry.
type Listed struct {
	Key string
	Entry
}

// A Past request. The operation is a number of the interface.
type Past struct {
	Operation     uint8
	Path, Outcome string
	EndedMSAgo    uint64
}
