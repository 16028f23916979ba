package tftp

import (
	"bytes"
	"testing"
	"time"
)

var source = Bytes(append(append(block(1, 512), block(2, 512)...), block(3, 100)...))

func TestWriteInLockstep(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opWrite, "boot/file\x00octet\x00")
		f.send(appendAck(nil, 0))
		f.expects(data(1, block(1, 512)))
		f.send(appendAck(nil, 1))
		f.expects(data(2, block(2, 512)))
		f.send(appendAck(nil, 2))
		f.expects(data(3, block(3, 100)))
		f.send(appendAck(nil, 3))
	})
	result := put(t, f.request(), source)
	want(t, "outcome", result.Outcome, Completed)
	want(t, "bytes", result.Bytes, 1124)
	want(t, "blocks", result.Blocks, 3)
	want(t, "retransmissions", result.Retransmissions, 0)
	if result.TimeToFirstBlock <= 0 {
		t.Errorf("first block after %s", result.TimeToFirstBlock)
	}
}

func TestWriteWithOptions(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opWrite, "boot/file\x00octet\x00blksize\x00512\x00windowsize\x004\x00tsize\x001124\x00")
		f.oack("windowsize\x002\x00tsize\x001124\x00")
		f.expects(data(1, block(1, 512)))
		f.expects(data(2, block(2, 512)))
		f.silence()
		f.send(appendAck(nil, 2))
		f.expects(data(3, block(3, 100)))
		f.send(appendAck(nil, 3))
	})
	request := f.request()
	request.Blksize, request.Windowsize, request.Tsize = 512, 4, true
	result := put(t, request, source)
	want(t, "outcome", result.Outcome, Completed)
	want(t, "options", result.Options, Options{Negotiated: true, Blksize: 512, Windowsize: 2})
}

// RFC 1123 section 4.2.3.1: whoever answers a repeated ACK sends every block twice from there on.
func TestNoSorcerersApprentice(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opWrite, "boot/file\x00octet\x00")
		f.send(appendAck(nil, 0))
		f.expects(data(1, block(1, 512)))
		f.send(appendAck(nil, 1))
		f.send(appendAck(nil, 1))
		f.send(appendAck(nil, 0))
		f.expects(data(2, block(2, 512)))
		f.silence()
		f.send(appendAck(nil, 2))
		f.expects(data(3, block(3, 100)))
		f.send(appendAck(nil, 3))
	})
	result := put(t, f.request(), source)
	want(t, "outcome", result.Outcome, Completed)
	want(t, "duplicates", result.Duplicates, 2)
	want(t, "retransmissions", result.Retransmissions, 0)
}

func TestWriteRollsBackOnceForEachGap(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opWrite, "boot/file\x00octet\x00windowsize\x003\x00")
		f.oack("windowsize\x003\x00")
		for number := 1; number <= 3; number++ {
			f.expects(data(uint16(number), block(number, []int{512, 512, 100}[number-1])))
		}
		f.send(appendAck(nil, 1)) // 2 is missing
		f.send(appendAck(nil, 1)) // and told once more, for 3
		f.expects(data(2, block(2, 512)))
		f.expects(data(3, block(3, 100)))
		f.silence()
		f.send(appendAck(nil, 3))
	})
	request := f.request()
	request.Windowsize = 3
	result := put(t, request, source)
	want(t, "outcome", result.Outcome, Completed)
	want(t, "gaps", result.Gaps, 1)
	want(t, "retransmissions", result.Retransmissions, 2)
	want(t, "bytes", result.Bytes, 1124)
}

func TestWriteRollsBackWhenTheFirstOfAWindowIsMissing(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opWrite, "boot/file\x00octet\x00windowsize\x002\x00")
		f.oack("windowsize\x002\x00")
		for range 2 {
			f.expects(data(1, block(1, 512)))
			f.expects(data(2, block(2, 512)))
			f.send(appendAck(nil, 0))
		}
		f.silence() // once
		f.send(appendAck(nil, 2))
		f.expects(data(3, block(3, 100)))
		f.send(appendAck(nil, 3))
	})
	request := f.request()
	request.Windowsize = 2
	want(t, "outcome", put(t, request, source).Outcome, Completed)
}

func TestWriteRepeats(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opWrite, "boot/file\x00octet\x00")
		f.asked(opWrite, "boot/file\x00octet\x00")
		f.send(appendAck(nil, 0))
		f.expects(data(1, block(1, 7)))
		f.expects(data(1, block(1, 7)))
		f.send(appendAck(nil, 1))
	})
	request := f.request()
	request.Timeout, request.Retries = 300*time.Millisecond, 50
	result := put(t, request, Bytes(block(1, 7)))
	want(t, "outcome", result.Outcome, Completed)
	if result.Retransmissions < 2 {
		t.Errorf("%d repeated", result.Retransmissions)
	}
}

func TestWriteRollsOver(t *testing.T) {
	for rollover := range 2 {
		const blocks = 65540
		f := serve(t, func(f *fake) {
			f.asked(opWrite, "boot/file\x00octet\x00blksize\x008\x00windowsize\x00100\x00")
			f.oack("blksize\x008\x00windowsize\x00100\x00")
			for position := 1; position <= blocks; position++ {
				number := uint16(position)
				if position > 65535 {
					number = uint16(position - 65536 + rollover)
				}
				length := min(8, (blocks-1)*8-(position-1)*8)
				if packet := f.receive(f.tid); !bytes.Equal(packet, data(number, Made(1<<30).block(int64(position-1)*8, length))) {
					f.t.Errorf("block %d: %s", position, show(packet))
					return
				}
				if position%100 == 0 || position == blocks {
					f.send(appendAck(nil, number))
				}
			}
		})
		request := f.request()
		request.Blksize, request.Windowsize, request.Rollover = 8, 100, rollover
		result := put(t, request, Made((blocks-1)*8))
		want(t, "outcome", result.Outcome, Completed)
		want(t, "blocks", result.Blocks, blocks)
	}
}

func TestWriteRefused(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opWrite, "boot/file\x00octet\x00")
		f.send(appendError(nil, CodeExists, "exists"))
	})
	result := put(t, f.request(), source)
	want(t, "outcome", result.Outcome, Refused)
	want(t, "code", result.Err.Code, CodeExists)
}

func TestWriteEndsEarly(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opWrite, "boot/file\x00octet\x00")
		f.send(appendAck(nil, 0))
		f.expects(data(1, block(1, 512)))
		f.send(appendAck(nil, 1))
		f.error(CodeDiskFull)
	})
	request := f.request()
	request.Abort = &Abort{After: 1, Code: CodeDiskFull, Message: "changed my mind"}
	result := put(t, request, source)
	want(t, "outcome", result.Outcome, Aborted)
	want(t, "bytes", result.Bytes, 512)
}

func TestEmptyWrite(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opWrite, "boot/file\x00octet\x00")
		f.send(appendAck(nil, 0))
		f.expects(data(1, nil))
		f.send(appendAck(nil, 1))
	})
	result := put(t, f.request(), Bytes(nil))
	want(t, "outcome", result.Outcome, Completed)
	want(t, "blocks", result.Blocks, 1)
}
