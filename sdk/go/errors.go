package tuffet

import "tuffet/internal/host"

// An Error is why the server did not do what a plugin called. It prints its message, and errors.Is compares it with the Err
// constants.
type Error = host.Error

// A Code is what an [Error] is about; later servers may have more than the Err constants.
type Code = host.Code

// The codes.
const (
	// The grant is not given, in the manifest or in the configuration.
	ErrNotGranted = host.NotGranted
	// The function is not there while this hook, or Configure, runs.
	ErrWrongPhase = host.WrongPhase
	// A name, a length or a value is out of bounds, or a value is no counter.
	ErrBadArgument = host.BadArgument
	// The path leads out of its root, or may not be read.
	ErrBadPath = host.BadPath
	// The path is that of a folder, a device or the like.
	ErrNotAFile = host.NotAFile
	// The file is not the version that was asked for, or changes while it is read.
	ErrChanged = host.Changed
	// There are more bytes than the limit that was given, or than this call of a hook may still read.
	ErrTooLarge = host.TooLarge
	// The plugin has as many keys, bytes or series as it may have.
	ErrQuota = host.Quota
	// The queue of a sink is full.
	ErrFull = host.Full
	// This call of a hook has made as many calls of the server as it may make.
	ErrExhausted = host.Exhausted
	// The disk, the database or the origin failed, or did not answer in time.
	ErrUnavailable = host.Unavailable
)
