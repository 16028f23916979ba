// Package tftp is a TFTP client for load tests: RFC 1350 with the options of RFC 2347, 2348, 2349 and 7440, in
// octet mode, reading and writing. It keeps no data, counts what happened on the way, and tells the end of each
// transfer as one of a few outcomes.
//
// It needs the standard library alone. The Go clients that are maintained have neither windows (RFC 7440) nor the
// counts that a load test is about, so this is an own one.
package tftp
