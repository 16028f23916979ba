package tftp

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"
)

// A datagram of 64 KiB is the largest there is, and the most that the kernel merges.
const receiveSize = 65536

// What a socket of Linux takes before anyone sets more, with room for the kernel's own share.
const ordinaryWindow = 96 << 10

// socket is one UDP port and the deadline for reading from it.
type socket struct {
	conn    *net.UDPConn
	raw     syscall.RawConn
	buffer  []byte
	control []byte
	// Datagrams that the kernel merged into one buffer (UDP_GRO): what is left of them, and the size of each.
	merged  []byte
	segment int
	from    netip.AddrPort
	gro     bool
}

func openSocket(local netip.Addr, server netip.AddrPort, gro bool, buffer []byte) (*socket, error) {
	network := "udp6"
	if server.Addr().Is4() {
		network = "udp4"
	}
	var address *net.UDPAddr
	if local.IsValid() {
		address = net.UDPAddrFromAddrPort(netip.AddrPortFrom(local, 0))
	}
	conn, err := net.ListenUDP(network, address)
	if err != nil {
		return nil, err
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	s := &socket{conn: conn, raw: raw, buffer: buffer}
	if gro && mergeDatagrams(raw) {
		s.gro = true
		s.control = make([]byte, 64)
	}
	return s, nil
}

func (s *socket) close() { _ = s.conn.Close() }

// room makes the kernel keep a whole window until it is read.
func (s *socket) room(window int) {
	if window > ordinaryWindow {
		// Where the limit of the machine is lower, the kernel takes that: a window is then cut, and repaired.
		_ = s.conn.SetReadBuffer(2 * window)
	}
}

// begin sets the first deadline of a transfer.
func (s *socket) begin(deadline time.Time) error {
	return s.conn.SetReadDeadline(deadline)
}

// discard empties a port that is used again: what came after the end of its last transfer.
func (s *socket) discard() {
	s.merged = nil
	discardQueued(s)
}

// receive waits for the next datagram until the deadline, and says os.ErrDeadlineExceeded then. What it returns is
// valid until the next call. Setting the deadline of a socket costs more than reading the clock, so it is moved only
// when it fires too early; within a transfer deadlines never come nearer.
func (s *socket) receive(ctx context.Context, deadline time.Time) ([]byte, netip.AddrPort, error) {
	if len(s.merged) > 0 {
		return s.next(), s.from, nil
	}
	for {
		packet, err := s.read()
		if err == nil {
			return packet, s.from, nil
		}
		if ctx.Err() != nil {
			return nil, netip.AddrPort{}, ctx.Err()
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, netip.AddrPort{}, err
		}
		if !time.Now().Before(deadline) {
			return nil, netip.AddrPort{}, os.ErrDeadlineExceeded
		}
		if err := s.conn.SetReadDeadline(deadline); err != nil {
			return nil, netip.AddrPort{}, err
		}
		// The end of the context sets a deadline in the past, and may have done so just before the line above.
		if ctx.Err() != nil {
			return nil, netip.AddrPort{}, ctx.Err()
		}
	}
}

func (s *socket) read() ([]byte, error) {
	if !s.gro {
		n, from, err := s.conn.ReadFromUDPAddrPort(s.buffer)
		s.from = from
		return s.buffer[:max(n, 0)], err
	}
	n, oobn, _, from, err := s.conn.ReadMsgUDPAddrPort(s.buffer, s.control)
	if err != nil {
		return nil, err
	}
	s.from = from
	s.merged = s.buffer[:n]
	s.segment = segmentSize(s.control[:oobn])
	if s.segment <= 0 {
		s.segment = n
	}
	return s.next(), nil
}

func (s *socket) next() []byte {
	n := min(s.segment, len(s.merged))
	packet := s.merged[:n]
	s.merged = s.merged[n:]
	return packet
}

func (s *socket) send(packet []byte, to netip.AddrPort) error {
	_, err := s.conn.WriteToUDPAddrPort(packet, to)
	return err
}
