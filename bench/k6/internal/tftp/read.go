package tftp

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"time"
)

// reading receives a file and forgets it.
type reading struct {
	*transfer
	sum hash.Hash
	// Whether the server answered, and with DATA.
	answered, data bool
	// The block that comes next, and how many of the window have come since the last ACK.
	expected int64
	inWindow int
	// After a gap was told: how far ahead the last block lay that did not fit. -1: no gap is open.
	gap int64
}

// read runs a read request to its end. A probe ends it upon the OACK.
func (t *transfer) read(probe bool) {
	r := &reading{transfer: t, expected: 1, gap: -1}
	if t.request.Hash || t.request.WantSHA256 != "" {
		r.sum = sha256.New()
	}
	t.sendRequest(0)
	for !t.ended {
		packet, now, again := t.next()
		switch {
		case again:
			r.repeat()
		case packet != nil:
			r.handle(packet, now, probe)
		}
	}
}

// repeat sends again what the server may have missed: the request, or the last ACK.
func (r *reading) repeat() {
	r.result.Retransmissions++
	if !r.answered {
		r.sendRequest(0)
		return
	}
	r.ack()
}

func (r *reading) handle(packet []byte, now time.Time, probe bool) {
	if len(packet) < 2 {
		r.illegal("a packet of %d bytes", len(packet))
		return
	}
	switch opcode := binary.BigEndian.Uint16(packet); opcode {
	case opError:
		r.refused(packet)
	case opOack:
		r.oack(packet, now, probe)
	case opData:
		if len(packet) < headerSize {
			r.illegal("DATA of %d bytes", len(packet))
			return
		}
		r.block(packet, now, probe)
	default:
		r.illegal("opcode %d in answer to a read request", opcode)
	}
}

func (r *reading) oack(packet []byte, now time.Time, probe bool) {
	if r.answered {
		// The server missed the ACK of its OACK, unless blocks are coming already.
		r.result.Duplicates++
		if !r.data {
			r.ack()
		}
		return
	}
	r.answered = true
	r.progress(now)
	if !r.accept(packet) || r.endProbe(now, probe) || r.endEarly() {
		return
	}
	r.ack()
}

func (r *reading) endProbe(now time.Time, probe bool) bool {
	if probe {
		r.result.TimeToFirstBlock = now.Sub(r.result.Start)
		r.abort(Probed)
	}
	return probe
}

func (r *reading) endEarly() bool {
	early := r.request.Abort != nil && r.result.Blocks >= r.request.Abort.After
	if early {
		r.abort(Aborted)
	}
	return early
}

// block takes a DATA packet.
func (r *reading) block(packet []byte, now time.Time, probe bool) {
	number, payload := binary.BigEndian.Uint16(packet[2:]), packet[headerSize:]
	if !r.answered {
		// The server takes no options: blocks of 512 bytes, one at a time.
		r.answered = true
		if r.endProbe(now, probe) {
			return
		}
	}
	if len(payload) > r.result.Options.Blksize {
		r.illegal("a block of %d bytes, %d were negotiated", len(payload), r.result.Options.Blksize)
		return
	}
	if ahead := r.blocks.ahead(r.expected, number); ahead != 0 {
		r.outOfOrder(ahead)
		return
	}
	if !r.data {
		r.data = true
		r.result.TimeToFirstBlock = now.Sub(r.result.Start)
	}
	r.progress(now)
	r.gap = -1
	r.expected++
	r.inWindow++
	r.result.Blocks++
	r.result.Bytes += int64(len(payload))
	if r.sum != nil {
		r.sum.Write(payload)
	}
	if r.endEarly() {
		return
	}
	if len(payload) < r.result.Options.Blksize {
		r.ack()
		r.complete()
	} else if r.inWindow >= r.result.Options.Windowsize {
		r.ack()
	}
}

// outOfOrder takes a block that is not the next one.
func (r *reading) outOfOrder(ahead int64) {
	// Half of the numbers lie ahead at most, the others behind.
	window := min(int64(r.result.Options.Windowsize), r.blocks.modulus/2)
	switch {
	case ahead < window && (r.gap < 0 || ahead <= r.gap):
		// A block is missing: say so at once (RFC 7440 section 4). Once for each gap: what follows it in the same
		// window does not count, until blocks come from further back again.
		r.gap = ahead
		r.result.Gaps++
		r.ack()
	case ahead < window:
		r.gap = ahead
	case ahead == r.blocks.modulus-1 && r.inWindow == 0:
		// The block that was confirmed last: its ACK was lost. Answering is right here; a sender that answered a
		// repeated ACK would be wrong (RFC 1123 section 4.2.3.1).
		r.result.Duplicates++
		r.result.Retransmissions++
		r.ack()
	default:
		r.result.Duplicates++
	}
}

// ack confirms the last block in order; the server's window starts behind it.
func (r *reading) ack() {
	r.inWindow = 0
	r.out = appendAck(r.out[:0], r.blocks.wire(r.expected-1))
	r.send(r.out)
}

// complete compares what came with what was announced and what was expected.
func (r *reading) complete() {
	if r.sum != nil {
		r.result.SHA256 = hex.EncodeToString(r.sum.Sum(nil))
	}
	wrong := func(format string, values ...any) {
		r.end(WrongData, &Error{Code: -1, Message: fmt.Sprintf(format, values...)})
	}
	switch want := r.request; {
	case want.WantSize >= 0 && r.result.Bytes != want.WantSize:
		wrong("%d bytes came, %d were expected", r.result.Bytes, want.WantSize)
	case r.result.Size >= 0 && r.result.Bytes != r.result.Size:
		wrong("%d bytes came, the server announced %d", r.result.Bytes, r.result.Size)
	case want.WantSHA256 != "" && r.result.SHA256 != want.WantSHA256:
		wrong("the SHA-256 is %s, expected was %s", r.result.SHA256, want.WantSHA256)
	}
	r.end(Completed, nil)
}
