package tuffet

import "tuffet/internal/wire"

// An Outcome is how a request ended.
type Outcome uint8

// The outcomes: the client acknowledged the last block; the upload is on disk; the client wanted the size only; the
// client ended it; policy or a limit said no; there is no such file; the client fell silent; the server failed.
const (
	Served Outcome = iota
	Stored
	Probed
	Aborted
	Denied
	NotFound
	TimedOut
	Failed
)

func (o Outcome) String() string { return word(wire.Outcomes, o) }

// A Decision is what was answered to a request.
type Decision uint8

// The decisions.
const (
	Granted Decision = iota
	Refused
	Dropped
	Undecided
)

func (d Decision) String() string { return word(wire.Decisions, d) }

// An Event is something that happened: exactly one of Started, Progressed and Finished is set.
type Event struct {
	// Milliseconds since 1970-01-01T00:00:00Z; needs no grant.
	UnixMS     uint64
	Started    *Started
	Progressed *Progressed
	Finished   *Finished
}

// Started: a request was granted, and blocks are about to move.
type Started struct {
	Request Request
	// ROOT:PATH, or content if a plugin made it.
	Resolved *string
	// The plugin that decided; nil if the configuration did.
	VerdictBy *string
	// Bytes on the wire; nil if unknown.
	Size *uint64
	// From the request to the decision, in microseconds.
	DecisionUS uint64
}

// Progressed is how far a transfer has come.
type Progressed struct {
	// The request's ID.
	ID string
	// Bytes that arrived, as on the wire.
	Bytes uint64
	// Bytes on the wire; nil if unknown.
	Size *uint64
}

// Finished is the end of a request.
type Finished struct {
	Request Request
	Outcome Outcome
	// More about the outcome; nil if there is nothing to add.
	Detail   *string
	Decision Decision
	// The plugin that decided; nil if the configuration did.
	VerdictBy *string
	// How many plugins were called.
	PluginCalls uint32
	// ROOT:PATH, or content if a plugin made it.
	Resolved *string
	// Bytes on the wire; nil if unknown.
	Size *uint64
	// As negotiated.
	Blksize, Windowsize uint16
	// The negotiated option timeout in seconds.
	TimeoutOption *uint8
	// The answered option tsize in bytes.
	Tsize *uint64
	// Bytes that arrived, as on the wire, and blocks, the last short or empty one included.
	Bytes, Blocks uint64
	// Packets sent again, packets that came again, and times that the client was silent for too long.
	Retransmissions, Duplicates, Timeouts uint64
	// The smoothed round-trip time, and the times from the request to the decision and to the first block that is known
	// to have arrived; in microseconds, nil if there was none.
	RTTUS, DecisionUS, FirstBlockUS *uint64
	// From the request to the end, in microseconds.
	DurationUS uint64
	// Facts that later servers add.
	Attributes []Pair
}
