package tftp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"
)

func TestReadInLockstepWithoutOptions(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00")
		f.data(1, block(1, 512))
		f.ack(1)
		f.data(2, block(2, 100))
		f.ack(2)
	})
	result := get(t, f.request())
	want(t, "outcome", result.Outcome, Completed)
	want(t, "bytes", result.Bytes, 612)
	want(t, "blocks", result.Blocks, 2)
	want(t, "options", result.Options, Options{Blksize: 512, Windowsize: 1})
	want(t, "repeated", result.Retransmissions+result.Duplicates+result.Gaps+result.Strays, 0)
	if result.TimeToFirstBlock <= 0 || result.Duration < result.TimeToFirstBlock {
		t.Errorf("first block after %s of %s", result.TimeToFirstBlock, result.Duration)
	}
}

func TestReadWithAllOptions(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00blksize\x001000\x00windowsize\x003\x00timeout\x004\x00tsize\x000\x00")
		f.oack("BlkSize\x00900\x00windowsize\x002\x00timeout\x004\x00tsize\x001800\x00")
		f.ack(0)
		f.data(1, block(1, 900))
		f.data(2, block(2, 900))
		f.ack(2)
		f.data(3, nil) // a file that fills its blocks ends with an empty one
		f.ack(3)
	})
	request := f.request()
	request.Blksize, request.Windowsize, request.TimeoutOption, request.Tsize = 1000, 3, 4, true
	request.WantSize = 1800
	sum := sha256.Sum256(append(block(1, 900), block(2, 900)...))
	request.WantSHA256 = hex.EncodeToString(sum[:])
	result := get(t, request)
	want(t, "outcome", result.Outcome, Completed)
	want(t, "options", result.Options, Options{Negotiated: true, Blksize: 900, Windowsize: 2, Timeout: 4})
	want(t, "size", result.Size, 1800)
	want(t, "blocks", result.Blocks, 3)
	want(t, "sha256", result.SHA256, request.WantSHA256)
}

func TestReadRepeatsTheRequestAndTheLastAck(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00")
		f.asked(opRead, "boot/file\x00octet\x00") // the first was lost
		f.data(1, block(1, 512))
		f.ack(1)
		f.ack(1) // DATA 2 was lost
		f.data(2, nil)
		f.ackAfter(2, 1)
	})
	request := f.request()
	request.Timeout, request.Retries = 300*time.Millisecond, 50
	result := get(t, request)
	want(t, "outcome", result.Outcome, Completed)
	if result.Retransmissions < 2 || result.Timeouts != result.Retransmissions {
		t.Errorf("%d repeated, %d time-outs", result.Retransmissions, result.Timeouts)
	}
}

func TestReadConfirmsARepeatedBlockAndCountsItOnce(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00")
		f.data(1, block(1, 512))
		f.ack(1)
		f.data(1, block(1, 512)) // the ACK was lost
		f.ack(1)
		f.data(2, block(2, 512))
		f.ack(2)
		f.data(1, block(1, 512)) // an old one, late
		f.silence()
		f.data(3, nil)
		f.ack(3)
	})
	result := get(t, f.request())
	want(t, "outcome", result.Outcome, Completed)
	want(t, "bytes", result.Bytes, 1024)
	want(t, "duplicates", result.Duplicates, 2)
	want(t, "retransmissions", result.Retransmissions, 1)
}

func TestReadRepeatsNothingWhileBlocksCome(t *testing.T) {
	t.Parallel()
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00")
		for number := 1; number <= 5; number++ {
			time.Sleep(time.Second) // long after the first time-out in all, long before each
			size := 512
			if number == 5 {
				size = 0
			}
			f.data(uint16(number), block(number, size))
			f.ack(uint16(number))
		}
	})
	request := f.request()
	request.Timeout = 4 * time.Second
	result := get(t, request)
	want(t, "outcome", result.Outcome, Completed)
	want(t, "timeouts", result.Timeouts, 0)
}

func TestReadCountsItsPatienceAnewAfterProgress(t *testing.T) {
	t.Parallel()
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00")
		f.asked(opRead, "boot/file\x00octet\x00")
		f.data(1, block(1, 512))
		f.ack(1)
		f.ack(1)
		f.data(2, block(2, 512))
		f.ackAfter(2, 1)
		f.ack(2)
		f.data(3, nil)
		f.ackAfter(3, 2)
	})
	request := f.request()
	request.Timeout, request.Retries = time.Second, 2 // three time-outs in all, one more than at a time
	result := get(t, request)
	want(t, "outcome", result.Outcome, Completed)
	if result.Timeouts < 3 {
		t.Errorf("%d time-outs", result.Timeouts)
	}
}

func TestReadKeepsQuietOnABlockThatTheNetworkDoubled(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00windowsize\x003\x00")
		f.oack("windowsize\x003\x00")
		f.ack(0)
		f.data(1, block(1, 512))
		f.data(1, block(1, 512))
		f.silence() // an ACK from within a window would make the server repeat the rest of it
		f.data(2, block(2, 512))
		f.data(3, block(3, 512))
		f.ack(3)
		f.data(4, nil)
		f.ack(4)
	})
	request := f.request()
	request.Windowsize = 3
	want(t, "outcome", get(t, request).Outcome, Completed)
}

func TestReadTellsEachGapOnce(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00windowsize\x005\x00")
		f.oack("windowsize\x005\x00")
		f.ack(0)
		f.data(1, block(1, 512))
		f.data(3, block(3, 512)) // 2 is missing
		f.ack(1)
		f.data(4, block(4, 512))
		f.data(5, block(5, 512))
		f.silence()
		f.data(3, block(3, 512)) // rolled back, and 2 is missing again
		f.ack(1)
		for number := 2; number <= 6; number++ {
			f.data(uint16(number), block(number, 512))
		}
		f.ack(6) // the window begins behind the last ACK
		f.data(7, nil)
		f.ack(7)
	})
	request := f.request()
	request.Windowsize = 5
	result := get(t, request)
	want(t, "outcome", result.Outcome, Completed)
	want(t, "bytes", result.Bytes, 6*512)
	want(t, "gaps", result.Gaps, 2)
	want(t, "timeouts", result.Timeouts, 0)
}

func TestReadTakesReorderedBlocksInTheirOrder(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00windowsize\x003\x00")
		f.oack("windowsize\x003\x00")
		f.ack(0)
		f.data(2, block(2, 512))
		f.ack(0)
		f.data(1, block(1, 512)) // late, and welcome
		f.data(2, block(2, 512))
		f.data(3, block(3, 100))
		f.ack(3)
	})
	request := f.request()
	request.Windowsize = 3
	sum := sha256.Sum256(append(append(block(1, 512), block(2, 512)...), block(3, 100)...))
	request.WantSHA256 = hex.EncodeToString(sum[:])
	want(t, "outcome", get(t, request).Outcome, Completed)
}

func TestReadConfirmsAWindowAgainWhoseAckWasLost(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00windowsize\x002\x00")
		f.oack("windowsize\x002\x00")
		f.ack(0)
		for range 2 {
			f.data(1, block(1, 512))
			f.data(2, block(2, 512))
			f.ack(2)
		}
		f.data(3, nil)
		f.ack(3)
	})
	request := f.request()
	request.Windowsize = 2
	result := get(t, request)
	want(t, "outcome", result.Outcome, Completed)
	want(t, "bytes", result.Bytes, 1024)
}

func TestReadConfirmsARepeatedOack(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00blksize\x00600\x00")
		f.oack("blksize\x00600\x00")
		f.ack(0)
		f.oack("blksize\x00600\x00")
		f.ack(0)
		f.data(1, nil)
		f.ack(1)
	})
	request := f.request()
	request.Blksize = 600
	want(t, "outcome", get(t, request).Outcome, Completed)
}

func TestReadRollsOver(t *testing.T) {
	for rollover := range 2 {
		const blocks = 65540
		f := serve(t, func(f *fake) {
			f.asked(opRead, "boot/file\x00octet\x00blksize\x008\x00windowsize\x00100\x00")
			f.oack("blksize\x008\x00windowsize\x00100\x00")
			f.ack(0)
			for position := 1; position <= blocks; position++ {
				size := 8
				if position == blocks {
					size = 0
				}
				number := uint16(position)
				if position > 65535 {
					number = uint16(position - 65536 + rollover)
				}
				f.data(number, block(position, size))
				if position%100 == 0 || position == blocks {
					f.ack(number)
				}
			}
		})
		request := f.request()
		request.Blksize, request.Windowsize, request.Rollover = 8, 100, rollover
		result := get(t, request)
		want(t, "outcome", result.Outcome, Completed)
		want(t, "blocks", result.Blocks, blocks)
		want(t, "bytes", result.Bytes, (blocks-1)*8)
	}
}

func TestReadOfWrongBytes(t *testing.T) {
	for name, change := range map[string]func(*Request){
		"size":   func(r *Request) { r.WantSize = 4 },
		"sha256": func(r *Request) { r.WantSHA256 = "00" },
	} {
		t.Run(name, func(t *testing.T) {
			f := serve(t, func(f *fake) {
				f.asked(opRead, "boot/file\x00octet\x00")
				f.data(1, []byte("five!"))
				f.ack(1)
			})
			request := f.request()
			change(request)
			result := get(t, request)
			want(t, "outcome", result.Outcome, WrongData)
			want(t, "code", result.Err.Code, -1)
		})
	}
}

func TestReadTimesOut(t *testing.T) {
	f := serve(t, func(f *fake) {
		for range 3 {
			f.asked(opRead, "boot/file\x00octet\x00")
		}
	})
	request := f.request()
	request.Timeout = 20 * time.Millisecond
	result := get(t, request)
	want(t, "outcome", result.Outcome, TimedOut)
	want(t, "retransmissions", result.Retransmissions, 2)
	want(t, "timeouts", result.Timeouts, 3)
	want(t, "first block", result.TimeToFirstBlock, -1)
}

func TestRepeatedBlocksDoNotKeepATransferAlive(t *testing.T) {
	stop := make(chan struct{})
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00")
		for {
			f.data(1, block(1, 512))
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	request := f.request()
	request.Timeout = 500 * time.Millisecond // long enough for the first answer of a slow machine
	result := get(t, request)
	close(stop)
	want(t, "outcome", result.Outcome, TimedOut)
	want(t, "blocks", result.Blocks, 1)
}

func TestReadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00")
		f.data(1, block(1, 512))
		f.ack(1)
		cancel()
		f.error(CodeUndefined)
	})
	client := &Client{}
	result := client.Get(ctx, f.request())
	want(t, "outcome", result.Outcome, Interrupted)
	want(t, "bytes", result.Bytes, 512)
}
