package tftp

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"
)

// How long a script waits for a packet that must come. Long: machines of tests are slow.
const patience = 20 * time.Second

// fake is a server that does what a script says, packet by packet, from a port of its own for each transfer.
type fake struct {
	t        *testing.T
	listener *net.UDPConn
	tid      *net.UDPConn
	client   netip.AddrPort
	done     chan struct{}
}

// serve runs a script against the client; the test waits for its end.
func serve(t *testing.T, script func(*fake)) *fake {
	t.Helper()
	f := &fake{t: t, listener: listen(t), tid: listen(t), done: make(chan struct{})}
	go func() {
		defer close(f.done)
		script(f)
	}()
	t.Cleanup(func() {
		select {
		case <-f.done:
		case <-time.After(2 * patience):
			t.Error("the script of the server did not end")
		}
	})
	return f
}

func listen(t *testing.T) *net.UDPConn {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func address(conn *net.UDPConn) netip.AddrPort {
	address, ok := conn.LocalAddr().(*net.UDPAddr)
	if !ok {
		panic("no UDP address")
	}
	return address.AddrPort()
}

// request is what a test asks of the fake: patient, so that a slow machine does not repeat anything by itself.
func (f *fake) request() *Request {
	return &Request{
		Server: address(f.listener), Name: "boot/file", Timeout: patience, Retries: 2, WantSize: -1,
	}
}

func (f *fake) receive(on *net.UDPConn) []byte {
	_ = on.SetReadDeadline(time.Now().Add(patience))
	buffer := make([]byte, receiveSize)
	n, from, err := on.ReadFromUDPAddrPort(buffer)
	if err != nil {
		f.t.Errorf("the server waited for a packet: %v", err)
		return nil
	}
	f.client = from
	return buffer[:n]
}

// asked waits for a request and compares what follows its opcode.
func (f *fake) asked(opcode uint16, rest string) {
	f.t.Helper()
	packet := f.receive(f.listener)
	want := append(binary.BigEndian.AppendUint16(nil, opcode), rest...)
	if !bytes.Equal(packet, want) {
		f.t.Errorf("request %q, expected %q", packet, want)
	}
}

// expects waits for one packet at the port of the transfer.
func (f *fake) expects(want []byte) {
	f.t.Helper()
	if got := f.receive(f.tid); !bytes.Equal(got, want) {
		f.t.Errorf("packet %s, expected %s", show(got), show(want))
	}
}

func (f *fake) ack(number uint16) {
	f.t.Helper()
	f.expects(appendAck(nil, number))
}

// ackAfter waits for an ACK behind repetitions of another, which a slow machine may have caused.
func (f *fake) ackAfter(number, repeated uint16) {
	f.t.Helper()
	for {
		packet := f.receive(f.tid)
		if !bytes.Equal(packet, appendAck(nil, repeated)) {
			if !bytes.Equal(packet, appendAck(nil, number)) {
				f.t.Errorf("packet %s, expected ACK %d", show(packet), number)
			}
			return
		}
	}
}

// error waits for an ERROR with this code.
func (f *fake) error(code uint16) {
	f.t.Helper()
	packet := f.receive(f.tid)
	if len(packet) < 4 || binary.BigEndian.Uint16(packet) != opError || binary.BigEndian.Uint16(packet[2:]) != code {
		f.t.Errorf("packet %s, expected ERROR %d", show(packet), code)
	}
}

// silence fails if anything comes in a short time: a slow machine may miss a failure, and never invents one.
func (f *fake) silence() {
	f.t.Helper()
	_ = f.tid.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	buffer := make([]byte, receiveSize)
	n, _, err := f.tid.ReadFromUDPAddrPort(buffer)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		f.t.Errorf("packet %s, expected none", show(buffer[:n]))
	}
}

func (f *fake) send(packet []byte) { f.sendFrom(f.tid, packet) }

func (f *fake) sendFrom(on *net.UDPConn, packet []byte) {
	if _, err := on.WriteToUDPAddrPort(packet, f.client); err != nil {
		f.t.Errorf("the server could not send: %v", err)
	}
}

func (f *fake) data(number uint16, payload []byte) { f.send(data(number, payload)) }

func (f *fake) oack(text string) { f.send(append([]byte{0, opOack}, text...)) }

func data(number uint16, payload []byte) []byte {
	packet := binary.BigEndian.AppendUint16([]byte{0, opData}, number)
	return append(packet, payload...)
}

// block makes a payload that differs from block to block.
func block(number int, size int) []byte {
	return bytes.Repeat([]byte{byte(number)}, size)
}

func show(packet []byte) string {
	if len(packet) > 40 {
		return fmt.Sprintf("%q and %d bytes more", packet[:40], len(packet)-40)
	}
	return fmt.Sprintf("%q", packet)
}

// get reads by a fresh client.
func get(t *testing.T, request *Request) *Result {
	t.Helper()
	client := &Client{}
	defer client.Close()
	return client.Get(context.Background(), request)
}

func put(t *testing.T, request *Request, source Source) *Result {
	t.Helper()
	client := &Client{}
	defer client.Close()
	return client.Put(context.Background(), request, source)
}

func want[T comparable](t *testing.T, what string, got, expected T) {
	t.Helper()
	if got != expected {
		t.Errorf("%s: %v, expected %v", what, got, expected)
	}
}
