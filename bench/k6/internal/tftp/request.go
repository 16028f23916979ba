package tftp

import (
	"net/netip"
	"time"
)

// Request is what one transfer is to do. Options that are 0 are not asked for; without any the request is one of
// RFC 1350.
type Request struct {
	Server netip.AddrPort
	Name   string
	// The options of the request: blksize (RFC 2348), windowsize (RFC 7440), timeout in seconds and tsize (RFC 2349).
	Blksize, Windowsize, TimeoutOption int
	Tsize                              bool
	// How long the client waits before it repeats, always the same, as ordinary clients do; and how often it repeats
	// without progress before it gives up.
	Timeout time.Duration
	Retries int
	// What follows block 65535: 0 or 1.
	Rollover int
	// What the file must be: its size (-1: any) and its SHA-256 in hexadecimal ("": any).
	WantSize   int64
	WantSHA256 string
	// Whether to hash what comes even if nothing is expected.
	Hash bool
	// Ends the transfer early where it is not nil.
	Abort *Abort
}

// Abort ends a transfer before its end, as boot loaders do.
type Abort struct {
	// After so many blocks; 0: upon the first answer of the server.
	After int64
	// The ERROR that the server is sent, unless Silent.
	Code    uint16
	Message string
	// The client just goes.
	Silent bool
}
