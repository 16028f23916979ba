package tftp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
)

// The opcodes of RFC 1350 and RFC 2347.
const (
	opRead  = 1
	opWrite = 2
	opData  = 3
	opAck   = 4
	opError = 5
	opOack  = 6
)

// Error codes of RFC 1350 section 5 and RFC 2347.
const (
	CodeUndefined  = 0
	CodeNotFound   = 1
	CodeAccess     = 2
	CodeDiskFull   = 3
	CodeIllegal    = 4
	CodeUnknownTID = 5
	CodeExists     = 6
	CodeNoUser     = 7
	CodeOptions    = 8
)

const (
	defaultBlksize = 512
	headerSize     = 4
	// What an ERROR may say: longer texts are cut, they go into results and logs.
	maxErrorText = 256
	// MaxRequest bounds a request, as RFC 2347 does.
	MaxRequest = 512
)

var errMalformed = errors.New("malformed packet")

// appendRequest writes a read or write request with the options that are asked for (RFC 2347).
func appendRequest(to []byte, opcode uint16, request *Request, size int64) []byte {
	to = binary.BigEndian.AppendUint16(to, opcode)
	to = appendText(to, request.Name)
	to = appendText(to, "octet")
	if request.Blksize > 0 {
		to = appendOption(to, "blksize", int64(request.Blksize))
	}
	if request.Windowsize > 0 {
		to = appendOption(to, "windowsize", int64(request.Windowsize))
	}
	if request.TimeoutOption > 0 {
		to = appendOption(to, "timeout", int64(request.TimeoutOption))
	}
	if request.Tsize {
		to = appendOption(to, "tsize", size)
	}
	return to
}

func appendText(to []byte, text string) []byte {
	return append(append(to, text...), 0)
}

func appendOption(to []byte, name string, value int64) []byte {
	to = appendText(to, name)
	return append(strconv.AppendInt(to, value, 10), 0)
}

func appendAck(to []byte, block uint16) []byte {
	to = binary.BigEndian.AppendUint16(to, opAck)
	return binary.BigEndian.AppendUint16(to, block)
}

func appendError(to []byte, code uint16, message string) []byte {
	to = binary.BigEndian.AppendUint16(to, opError)
	to = binary.BigEndian.AppendUint16(to, code)
	return appendText(to, message)
}

// parseError reads the code and the text of an ERROR. A missing final NUL is forgiven.
func parseError(packet []byte) (code uint16, message string) {
	if len(packet) < headerSize {
		return CodeUndefined, ""
	}
	text, _, _ := bytes.Cut(packet[headerSize:], []byte{0})
	if len(text) > maxErrorText {
		text = text[:maxErrorText]
	}
	printable := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(text), "?"))
	return binary.BigEndian.Uint16(packet[2:]), printable
}

// An option that a server granted.
type option struct {
	name  string
	value int64
}

// parseOack reads the options of an OACK. Names count in any case (RFC 2347).
func parseOack(packet []byte) ([]option, error) {
	rest := packet[2:]
	var options []option
	for len(rest) > 0 {
		name, after, ok := bytes.Cut(rest, []byte{0})
		if !ok || len(name) == 0 {
			return nil, errMalformed
		}
		text, after, ok := bytes.Cut(after, []byte{0})
		if !ok {
			return nil, errMalformed
		}
		value, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil {
			return nil, errMalformed
		}
		options = append(options, option{strings.ToLower(string(name)), value})
		rest = after
	}
	return options, nil
}
