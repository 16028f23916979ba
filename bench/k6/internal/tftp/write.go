package tftp

import (
	"encoding/binary"
	"time"
)

// writing sends a file.
type writing struct {
	*transfer
	source   Source
	answered bool
	// How many blocks there are: the last one is shorter than blksize, maybe empty.
	total int64
	// The last block that was confirmed, the last that was sent since, and the last that ever was.
	confirmed, sent, highest int64
	// Whether the blocks after the confirmed one were sent again already. Each gap makes the server repeat its ACK,
	// some servers once for each block that follows it; the blocks are repeated once.
	repeated bool
}

// write runs a write request to its end.
func (t *transfer) write(source Source) {
	w := &writing{transfer: t, source: source}
	t.sendRequest(source.size)
	for !t.ended {
		packet, now, again := t.next()
		switch {
		case again:
			w.repeat()
		case packet != nil:
			w.handle(packet, now)
		}
	}
}

// repeat sends again what the server may have missed: the request, or the blocks it did not confirm.
func (w *writing) repeat() {
	if !w.answered {
		w.result.Retransmissions++
		w.sendRequest(w.source.size)
		return
	}
	w.rollBack()
}

func (w *writing) handle(packet []byte, now time.Time) {
	if len(packet) < 2 {
		w.illegal("a packet of %d bytes", len(packet))
		return
	}
	switch opcode := binary.BigEndian.Uint16(packet); opcode {
	case opError:
		w.refused(packet)
	case opOack:
		if w.answered {
			// The first window says the same as an ACK would; if it was lost, the time-out repeats it.
			w.result.Duplicates++
			return
		}
		if w.accept(packet) {
			w.begin(now)
		}
	case opAck:
		if len(packet) < headerSize {
			w.illegal("an ACK of %d bytes", len(packet))
			return
		}
		w.acked(binary.BigEndian.Uint16(packet[2:]), now)
	default:
		w.illegal("opcode %d in answer to a write request", opcode)
	}
}

// begin sends the first blocks, now that the size of a block is settled.
func (w *writing) begin(now time.Time) {
	w.answered = true
	w.total = w.source.size/int64(w.result.Options.Blksize) + 1
	w.progress(now)
	if !w.endEarly() {
		w.window()
	}
}

func (w *writing) endEarly() bool {
	early := w.request.Abort != nil && w.confirmed >= w.request.Abort.After
	if early {
		w.abort(Aborted)
	}
	return early
}

func (w *writing) acked(number uint16, now time.Time) {
	if !w.answered {
		if number == 0 {
			w.begin(now)
			return
		}
		w.illegal("ACK %d in answer to a write request", number)
		return
	}
	ahead := w.blocks.ahead(w.confirmed, number)
	switch {
	case ahead > 0 && ahead <= w.sent-w.confirmed:
		w.advance(ahead, now)
	case ahead == 0 && w.result.Options.Windowsize > 1 && !w.repeated:
		// The first block of the window is missing. In lockstep a repeated ACK means nothing, and answering it would
		// double every block from here on (RFC 1123 section 4.2.3.1).
		w.result.Duplicates++
		w.result.Gaps++
		w.rollBack()
	default:
		w.result.Duplicates++
	}
}

// advance takes an ACK of new blocks.
func (w *writing) advance(by int64, now time.Time) {
	if w.confirmed == 0 {
		w.result.TimeToFirstBlock = now.Sub(w.result.Start)
	}
	w.confirmed += by
	w.result.Blocks = w.confirmed
	w.result.Bytes = min(w.confirmed*int64(w.result.Options.Blksize), w.source.size)
	w.progress(now)
	switch {
	case w.confirmed == w.total:
		w.end(Completed, nil)
	case w.endEarly():
	case w.confirmed < w.sent:
		// An ACK from within the window tells of a gap behind it (RFC 7440 section 4).
		w.result.Gaps++
		w.rollBack()
	default:
		w.repeated = false
		w.window()
	}
}

// rollBack sends the blocks after the last confirmed one again.
func (w *writing) rollBack() {
	w.repeated = true
	w.sent = w.confirmed
	w.window()
}

// window sends blocks until a window lies between the last one and the last confirmed one.
func (w *writing) window() {
	size := w.result.Options.Blksize
	last := min(w.confirmed+int64(w.result.Options.Windowsize), w.total)
	for !w.ended && w.sent < last {
		w.sent++
		w.out = binary.BigEndian.AppendUint16(w.out[:0], opData)
		w.out = binary.BigEndian.AppendUint16(w.out, w.blocks.wire(w.sent))
		w.out = append(w.out, w.source.block((w.sent-1)*int64(size), size)...)
		w.send(w.out)
		if w.sent <= w.highest {
			w.result.Retransmissions++
		}
		w.highest = max(w.highest, w.sent)
	}
}
