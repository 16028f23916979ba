package tftp

import (
	"encoding/binary"
	"errors"
	"syscall"
)

// From linux/udp.h.
const (
	solUDP = 17
	udpGRO = 104
)

// mergeDatagrams asks the kernel for UDP_GRO: datagrams of one size that follow each other come in one buffer.
func mergeDatagrams(raw syscall.RawConn) bool {
	var failed error
	err := raw.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), solUDP, udpGRO, 1) // #nosec G115 -- a descriptor
	})
	return err == nil && failed == nil
}

// segmentSize is what the kernel says of merged datagrams: the size of each but the last. 0: it merged none.
func segmentSize(control []byte) int {
	messages, err := syscall.ParseSocketControlMessage(control)
	if err != nil {
		return 0
	}
	for _, message := range messages {
		if message.Header.Level == solUDP && message.Header.Type == udpGRO && len(message.Data) >= 4 {
			return int(int32(binary.NativeEndian.Uint32(message.Data))) // #nosec G115 -- an int of C
		}
	}
	return 0
}

// discardQueued reads until nothing is left; sockets of Go do not block.
func discardQueued(s *socket) {
	_ = s.raw.Control(func(fd uintptr) {
		for {
			_, err := syscall.Read(int(fd), s.buffer) // #nosec G115 -- a descriptor
			if err != nil && !errors.Is(err, syscall.EINTR) {
				return
			}
		}
	})
}
