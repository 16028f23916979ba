package tftp

import (
	"context"
	"net/netip"
	"testing"
)

func TestErrorsOfTheServer(t *testing.T) {
	for code, outcome := range map[uint16]Outcome{
		CodeNotFound: NotFound, CodeAccess: Denied, CodeUndefined: Refused, CodeOptions: Refused, 99: Refused,
	} {
		f := serve(t, func(f *fake) {
			f.asked(opRead, "boot/file\x00octet\x00")
			f.send(appendError(nil, code, "no\nsuch\xff file"))
			f.silence() // an ERROR is never answered
		})
		result := get(t, f.request())
		want(t, "outcome", result.Outcome, outcome)
		want(t, "code", result.Err.Code, int(code))
		want(t, "message", result.Err.Message, "nosuch? file")
	}
}

func TestErrorAmongTheBlocks(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00")
		f.data(1, block(1, 512))
		f.ack(1)
		f.send([]byte{0, opError, 0, CodeUndefined, 'x'}) // without its final NUL
	})
	result := get(t, f.request())
	want(t, "outcome", result.Outcome, Refused)
	want(t, "message", result.Err.Message, "x")
	want(t, "bytes", result.Bytes, 512)
}

func TestOacksThatCannotBe(t *testing.T) {
	for oack, message := range map[string]string{
		"blksize\x001001\x00":    "blksize 1001 was granted, 1000 asked for",
		"blksize\x007\x00":       "blksize 7 was granted, 1000 asked for",
		"windowsize\x000\x00":    "windowsize 0 was granted, 4 asked for",
		"timeout\x003\x00":       "timeout 3 was granted, 2 asked for",
		"timeout\x001\x00":       "timeout 1 was granted, 2 asked for",
		"tsize\x005\x00":         `option "tsize" was not asked for`,
		"multicast\x001\x00":     `option "multicast" was not asked for`,
		"blksize\x00many\x00":    "malformed OACK",
		"blksize\x00":            "malformed OACK",
		"blksize":                "malformed OACK",
		"\x00600\x00blksize\x00": "malformed OACK",
	} {
		f := serve(t, func(f *fake) {
			f.receive(f.listener)
			f.oack(oack)
			f.error(CodeOptions)
		})
		request := f.request()
		request.Blksize, request.Windowsize, request.TimeoutOption = 1000, 4, 2
		result := get(t, request)
		want(t, "outcome", result.Outcome, ProtocolError)
		want(t, "message", result.Err.Message, message)
	}
}

func TestPacketsThatHaveNoPlace(t *testing.T) {
	for name, packet := range map[string][]byte{
		"ACK": appendAck(nil, 0), "opcode 9": {0, 9, 0, 0}, "one byte": {0}, "no byte": {}, "DATA without a number": {0, 3, 0},
		"too long a block": data(1, block(1, 513)),
	} {
		t.Run(name, func(t *testing.T) {
			f := serve(t, func(f *fake) {
				f.asked(opRead, "boot/file\x00octet\x00")
				f.send(packet)
				f.error(CodeIllegal)
			})
			want(t, "outcome", get(t, f.request()).Outcome, ProtocolError)
		})
	}
}

func TestStrangersAreTurnedAway(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00")
		f.data(1, block(1, 512))
		f.ack(1)
		stranger := listen(f.t)
		f.sendFrom(stranger, data(2, block(9, 512)))
		tid := f.tid
		f.tid = stranger
		f.error(CodeUnknownTID)
		f.sendFrom(stranger, appendError(nil, CodeUndefined, "go away"))
		f.silence()
		f.tid = tid
		f.data(2, block(2, 10))
		f.ack(2)
	})
	result := get(t, f.request())
	want(t, "outcome", result.Outcome, Completed)
	want(t, "strays", result.Strays, 2)
	want(t, "bytes", result.Bytes, 522)
}

func TestProbe(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00tsize\x000\x00")
		f.oack("tsize\x0070000\x00")
		f.error(CodeOptions)
	})
	request := f.request()
	request.Tsize = true
	result := (&Client{}).Probe(context.Background(), request)
	want(t, "outcome", result.Outcome, Probed)
	want(t, "size", result.Size, 70000)
	want(t, "bytes", result.Bytes, 0)
	want(t, "error", result.Err, nil)
}

func TestProbeOfAServerWithoutOptions(t *testing.T) {
	f := serve(t, func(f *fake) {
		f.asked(opRead, "boot/file\x00octet\x00tsize\x000\x00")
		f.data(1, block(1, 512))
		f.error(CodeOptions)
	})
	request := f.request()
	request.Tsize = true
	result := (&Client{}).Probe(context.Background(), request)
	want(t, "outcome", result.Outcome, Probed)
	want(t, "size", result.Size, -1)
}

func TestReadEndsEarly(t *testing.T) {
	for _, silent := range []bool{false, true} {
		f := serve(t, func(f *fake) {
			f.asked(opRead, "boot/file\x00octet\x00")
			f.data(1, block(1, 512))
			f.ack(1)
			f.data(2, block(2, 512))
			if silent {
				f.silence()
			} else {
				f.error(CodeUndefined)
			}
		})
		request := f.request()
		request.Abort = &Abort{After: 2, Message: "closed", Silent: silent}
		result := get(t, request)
		want(t, "outcome", result.Outcome, Aborted)
		want(t, "blocks", result.Blocks, 2)
	}
}

func TestThisMachineCannot(t *testing.T) {
	client := &Client{Local: netip.MustParseAddr("192.0.2.1")}
	result := client.Get(context.Background(), &Request{
		Server: netip.MustParseAddrPort("127.0.0.1:9"), Name: "x", Timeout: patience, WantSize: -1,
	})
	want(t, "outcome", result.Outcome, LocalError)
}

// A port that is used again must not take packets of its last transfer for those of the next.
func TestKeptPort(t *testing.T) {
	for _, merge := range []bool{false, true} {
		rest := make(chan struct{})
		var first netip.AddrPort
		f := serve(t, func(f *fake) {
			f.asked(opRead, "boot/file\x00octet\x00windowsize\x003\x00")
			first = f.client
			f.oack("windowsize\x003\x00")
			f.ack(0)
			f.data(1, block(1, 512))
			f.error(CodeUndefined)
			f.data(2, block(2, 512)) // was on its way
			f.data(3, block(3, 100))
			close(rest)
			f.asked(opRead, "boot/file\x00octet\x00")
			want(f.t, "port", f.client, first)
			f.data(1, block(1, 5))
			f.ack(1)
		})
		client := &Client{ReusePort: true, Merge: merge, Local: netip.MustParseAddr("127.0.0.1")}
		request := f.request()
		request.Windowsize = 3
		request.Abort = &Abort{After: 1, Message: "closed"}
		want(t, "outcome", client.Get(context.Background(), request).Outcome, Aborted)
		<-rest
		result := client.Get(context.Background(), f.request())
		want(t, "outcome", result.Outcome, Completed)
		want(t, "bytes", result.Bytes, 5)
		want(t, "duplicates", result.Duplicates, 0)
		client.Close()
	}
}
