// Package host has the calls of the server: in a component its imports, natively the stand-ins of tuffettest.
package host

import "errors"

// The kinds of errors.
var (
	ErrDenied      = errors.New("denied")
	ErrQuota       = errors.New("the plugin has as many keys or bytes as it may have")
	ErrInvalid     = errors.New("invalid")
	ErrUnavailable = errors.New("unavailable")
	ErrFull        = errors.New("full")
	ErrTooLarge    = errors.New("too large")
	ErrNoAnswer    = errors.New("no answer")
)

// An Error is why a call failed.
type Error struct {
	// One of the Err values.
	Kind error
	// The server's message; may be empty.
	Message string
	// The size of a file that is too large, in bytes.
	Bytes uint64
}

func (e *Error) Error() string {
	if e.Message == "" {
		return e.Kind.Error()
	}
	return e.Kind.Error() + ": " + e.Message
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

// A Field of a log line, an option, a header.
type Field struct{ Name, Value string }

// Metadata of a file.
type Metadata struct{ Bytes, ModifiedUnixMS uint64 }

// An Entry is a value and its revision.
type Entry struct {
	Value    []byte
	Revision uint64
}

// A Past request. Operation and outcome are numbers of the interface.
type Past struct {
	Operation  uint8
	Path       string
	Outcome    uint8
	EndedMSAgo uint64
}
