package tuffet

// An Outcome is how a request ended; later servers may know more.
type Outcome string

// The outcomes.
const (
	// The client acknowledged the last block.
	Served Outcome = "served"
	// The upload is on disk under its name.
	Stored Outcome = "stored"
	// The client wanted the size only, or closed early as some boot loaders do.
	Probed Outcome = "probed"
	// The client ended it, broke the protocol, or asked for something else instead.
	Aborted Outcome = "aborted"
	// Policy, a root's rules or a limit said no.
	Denied Outcome = "denied"
	// There is no such file.
	NotFound Outcome = "not-found"
	// The client fell silent.
	TimedOut Outcome = "timed-out"
	// The server could not do it.
	Failed Outcome = "failed"
)

// A Decision is what was answered to a request; later servers may know more.
type Decision string

// The decisions.
const (
	// Blocks could move.
	Granted Decision = "granted"
	// With an ERROR.
	Refused Decision = "refused"
	// Without an answer.
	Dropped Decision = "dropped"
	// The request ended before it was decided.
	Undecided Decision = "undecided"
)

// An Event is something that happened: exactly one of Started, Progressed, Finished and Other is set.
type Event struct {
	// Counts the events of one process of the server, from 1. An event that is given again has the number of before.
	Sequence uint64
	// Milliseconds since 1970-01-01T00:00:00Z; needs no grant.
	UnixMS uint64
	// A request was granted, and blocks are about to move.
	Started    *DecidedRequest
	Progressed *Progress
	Finished   *Summary
	// An event of a kind that this SDK does not know.
	Other *OtherEvent
}

// Resolved is what a request turned out to ask for: a [Target] or a [ContentName].
type Resolved interface{ resolved() }

// A ContentName is the name of content that a plugin made; empty if it has none.
type ContentName string

func (Target) resolved()      {}
func (ContentName) resolved() {}

// A DecidedRequest is a request and what was decided about it.
type DecidedRequest struct {
	Request Request
	// nil if the request was refused before that was known.
	Resolved Resolved
	// The plugin that decided; empty if the configuration did.
	DecidedBy string
	// Bytes on the wire; nil if unknown.
	Size *uint64
	// From the request to the decision, in microseconds; nil without one.
	DecisionUS *uint64
}

// Progress is how far a transfer has come.
type Progress struct {
	RequestID string
	// Bytes that arrived, as on the wire.
	Transferred uint64
	// Bytes on the wire; nil if unknown.
	Size *uint64
}

// A Summary is the end of a request.
type Summary struct {
	DecidedRequest
	Decision Decision
	Outcome  Outcome
	// More about the outcome, not for clients; empty if there is nothing to add.
	Detail string
	// How many plugins were called.
	PluginCalls uint32
	// Where the file of a refused request was looked for, in order; at most 16.
	Tried []Target
	// The plugin that named these places; empty if none did.
	TriedBy string
	// As negotiated.
	Blksize, Windowsize uint16
	// The negotiated option timeout in seconds; nil for none.
	TimeoutOption *uint8
	// The answered option tsize in bytes; nil for none.
	Tsize *uint64
	// Bytes that arrived, as on the wire, and blocks, the last short or empty one included.
	Transferred, Blocks uint64
	// Packets sent again, packets that came again, and times that the client was silent for too long.
	Retransmissions, Duplicates, Timeouts uint64
	// The smoothed round-trip time, and the time from the request to the first block that is known to have arrived; in
	// microseconds, nil if there was none.
	RTTUS, FirstBlockUS *uint64
	// From the request to the end, in microseconds.
	DurationUS uint64
	// other-case: what is there instead of a file that is not found, if its name differs in upper and lower case alone.
	// hint: what the pattern of the transfer usually means. Later servers add more.
	Attributes []Pair
}

// An OtherEvent is of a kind that this SDK does not know.
type OtherEvent struct {
	Kind string
	// Empty for an event that belongs to no request.
	RequestID  string
	Attributes []Pair
}
