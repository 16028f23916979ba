package tuffet

import "tuffet/internal/host"

// A HostError is why the server did not do what a plugin called. Compare it with errors.Is and the Err values.
type HostError = host.Error

// The kinds of errors.
var (
	// The grant is missing, or the call is not possible in Configure. For http the server's log says more.
	ErrDenied = host.ErrDenied
	// The plugin has as many keys or bytes as it may have.
	ErrQuota = host.ErrQuota
	// An argument or the number of calls is out of bounds.
	ErrInvalid = host.ErrInvalid
	// The disk or the database failed.
	ErrUnavailable = host.ErrUnavailable
	// The queue or the spool of the sink is full, or the plugin has as many metrics as it may have.
	ErrFull = host.ErrFull
	// The file or the response is larger than the limit, or than the call may still read.
	ErrTooLarge = host.ErrTooLarge
	// The HTTP host or the network failed.
	ErrNoAnswer = host.ErrNoAnswer
)
