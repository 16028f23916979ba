package tftp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"time"
)

// transfer is what reading, writing and probing have in common: the request, the server's port, waiting and
// repeating, and the end.
type transfer struct {
	ctx     context.Context //nolint:containedctx // a transfer lives within one call
	socket  *socket
	request *Request
	result  *Result
	blocks  numbering
	opcode  uint16
	// What the client sends is put together here.
	out []byte
	// The server's port, once it answered (RFC 1350 section 4).
	peer  netip.AddrPort
	known bool
	// When to repeat, and how often that was done without progress.
	deadline time.Time
	attempts int
	ended    bool
}

// end settles the outcome; the first one counts.
func (t *transfer) end(outcome Outcome, failure *Error) {
	if !t.ended {
		t.ended = true
		t.result.Outcome = outcome
		t.result.Err = failure
	}
}

// fail ends the transfer and tells the server with an ERROR.
func (t *transfer) fail(outcome Outcome, code uint16, message string) {
	t.sendError(code, message)
	t.end(outcome, &Error{Code: int(code), Message: message})
}

func (t *transfer) sendError(code uint16, message string) {
	if t.known {
		t.out = appendError(t.out[:0], code, message)
		t.send(t.out)
	}
}

// abort ends it as the request says.
func (t *transfer) abort(outcome Outcome) {
	if !t.request.Abort.Silent {
		t.sendError(t.request.Abort.Code, t.request.Abort.Message)
	}
	t.end(outcome, nil)
}

// send gives a packet to the server: to its port once that is known. A packet that this machine cannot send ends
// the transfer.
func (t *transfer) send(packet []byte) {
	if err := t.socket.send(packet, t.peer); err != nil {
		t.end(LocalError, &Error{Code: -1, Message: err.Error()})
		return
	}
	t.result.WireSent += int64(len(packet))
}

func (t *transfer) sendRequest(size int64) {
	t.out = appendRequest(t.out[:0], t.opcode, t.request, size)
	t.send(t.out)
}

// progress says that the server brought something new: the time-out starts anew.
func (t *transfer) progress(now time.Time) {
	t.deadline = now.Add(t.request.Timeout)
	t.attempts = 0
}

// next waits for a packet of the server. nil: the transfer ended, or it is time to repeat (then again is true).
// Packets that come without an end do not keep a silent transfer alive: once the deadline has passed, a read fails
// even if something is there, and only progress moves the deadline.
func (t *transfer) next() (packet []byte, now time.Time, again bool) {
	for !t.ended {
		packet, from, err := t.socket.receive(t.ctx, t.deadline)
		now = time.Now()
		switch {
		case err == nil:
			t.result.WireReceived += int64(len(packet))
			if t.from(from, packet) {
				return packet, now, false
			}
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, now, t.expired(now)
		default:
			t.broken(err)
		}
	}
	return nil, now, false
}

// expired counts a time-out, and says whether to repeat.
func (t *transfer) expired(now time.Time) bool {
	t.result.Timeouts++
	if t.attempts >= t.request.Retries {
		silent := time.Duration(t.attempts+1) * t.request.Timeout
		t.sendError(CodeUndefined, "timed out")
		t.end(TimedOut, &Error{Code: -1, Message: fmt.Sprintf("the server was silent for %s", silent)})
		return false
	}
	t.attempts++
	t.deadline = now.Add(t.request.Timeout)
	return true
}

// broken ends a transfer whose context ended, or whose socket failed.
func (t *transfer) broken(err error) {
	if t.ctx.Err() != nil {
		t.sendError(CodeUndefined, "the client stops")
		t.end(Interrupted, &Error{Code: -1, Message: "interrupted: " + context.Cause(t.ctx).Error()})
		return
	}
	t.end(LocalError, &Error{Code: -1, Message: err.Error()})
}

// from says whether a packet is one of this transfer's server. The first answer tells the server's port; what comes
// from elsewhere is answered with ERROR 5 and does not disturb (RFC 1350 section 4).
func (t *transfer) from(from netip.AddrPort, packet []byte) bool {
	if t.known && from == t.peer {
		return true
	}
	from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	same := from.Addr().WithZone("") == t.peer.Addr().WithZone("")
	if !t.known && same {
		t.peer = from
		t.known = true
		return true
	}
	t.result.Strays++
	// Never to an ERROR, and never to another machine: it may be forged.
	if same && len(packet) >= 2 && binary.BigEndian.Uint16(packet) != opError {
		var answer [32]byte
		packet := appendError(answer[:0], CodeUnknownTID, "not my transfer")
		if t.socket.send(packet, from) == nil {
			t.result.WireSent += int64(len(packet))
		}
	}
	return false
}

// refused ends the transfer upon an ERROR of the server.
func (t *transfer) refused(packet []byte) {
	code, message := parseError(packet)
	outcome := Refused
	switch code {
	case CodeNotFound:
		outcome = NotFound
	case CodeAccess:
		outcome = Denied
	}
	t.end(outcome, &Error{Code: int(code), Message: message})
}

// illegal ends the transfer because the server sent what has no place in it.
func (t *transfer) illegal(format string, values ...any) {
	t.fail(ProtocolError, CodeIllegal, fmt.Sprintf(format, values...))
}
