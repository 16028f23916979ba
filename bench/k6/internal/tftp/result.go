package tftp

import (
	"fmt"
	"time"
)

// Outcome is how a transfer ended, one of a few.
type Outcome string

// The outcomes.
const (
	// Completed: the last block was confirmed, and what was expected of the file held.
	Completed Outcome = "completed"
	// Probed: the server said what it offers, and the client ended it there, as it was told.
	Probed Outcome = "probed"
	// Aborted: the client ended it early, as it was told.
	Aborted Outcome = "aborted"
	// NotFound: the server answered with ERROR 1.
	NotFound Outcome = "not-found"
	// Denied: the server answered with ERROR 2.
	Denied Outcome = "denied"
	// Refused: the server answered with another ERROR.
	Refused Outcome = "error"
	// TimedOut: the server stayed silent, for all repetitions.
	TimedOut Outcome = "timed-out"
	// WrongData: all came, but size or SHA-256 differ from what was expected, or the size from what was announced.
	WrongData Outcome = "wrong-data"
	// ProtocolError: the server sent what it must not.
	ProtocolError Outcome = "protocol-error"
	// LocalError: this machine could not: no such local address, no socket, no route.
	LocalError Outcome = "local-error"
	// Interrupted: the context ended first.
	Interrupted Outcome = "interrupted"
)

// Outcomes are all there are.
var Outcomes = []Outcome{
	Completed, Probed, Aborted, NotFound, Denied, Refused, TimedOut, WrongData, ProtocolError, LocalError, Interrupted,
}

// Error says why a transfer did not end well.
type Error struct {
	// The code of the ERROR that the server sent, or that was sent to it; -1 where no ERROR was part of it.
	Code int
	// The server's text, or what this client found.
	Message string
}

// Error makes it an error of Go.
func (e *Error) Error() string {
	if e.Code < 0 {
		return e.Message
	}
	return fmt.Sprintf("ERROR %d: %s", e.Code, e.Message)
}

// Options are what was in force for the blocks of a transfer.
type Options struct {
	// Whether the server answered the request with an OACK.
	Negotiated bool
	Blksize    int
	Windowsize int
	// Seconds, or 0 where the server did not grant it.
	Timeout int
}

// Result tells one transfer.
type Result struct {
	Outcome Outcome
	Err     *Error
	Options Options
	// The size that the server granted or announced (tsize), or -1.
	Size int64
	// File data, each byte once; and blocks, each once.
	Bytes, Blocks int64
	// Packets that the client sent again: requests, ACKs, DATA.
	Retransmissions int64
	// Packets of the server that brought nothing new.
	Duplicates int64
	// How often the server was told of a missing block (RFC 7440) or, in a write, told of one.
	Gaps int64
	// Packets from elsewhere than the transfer's server.
	Strays int64
	// How often a whole time-out passed in vain.
	Timeouts int64
	// Payload of all datagrams, TFTP headers included.
	WireSent, WireReceived int64
	Start                  time.Time
	Duration               time.Duration
	// From the request to the first DATA; in a write, to the first confirmed block; in a probe, to the OACK. -1 where
	// there was none.
	TimeToFirstBlock time.Duration
	// The hash of a file that was read, in hexadecimal, where it was asked for.
	SHA256 string
}
