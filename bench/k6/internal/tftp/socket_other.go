//go:build !linux

package tftp

import (
	"syscall"
	"time"
)

// UDP_GRO is Linux's.
func mergeDatagrams(syscall.RawConn) bool { return false }

func segmentSize([]byte) int { return 0 }

// discardQueued reads until nothing came for a moment: a read whose deadline has passed does not even try.
func discardQueued(s *socket) {
	_ = s.conn.SetReadDeadline(time.Now().Add(50 * time.Microsecond))
	for {
		if _, _, err := s.conn.ReadFromUDPAddrPort(s.buffer); err != nil {
			return
		}
	}
}
