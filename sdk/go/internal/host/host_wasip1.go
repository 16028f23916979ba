package host

import (
	"runtime"
	"unsafe"
)

// Bytes of an answer without content: the message of an error.
const small = 16 << 10

func text(s string) (unsafe.Pointer, uint32) {
	return unsafe.Pointer(unsafe.StringData(s)), uint32(len(s))
}

// lower returns the addresses of names and values; the caller keeps the fields alive.
func lower(fields []Field) [][4]uint32 {
	lowered := make([][4]uint32, len(fields))
	for i, field := range fields {
		name, nameLen := text(field.Name)
		value, valueLen := text(field.Value)
		lowered[i] = [4]uint32{address(name), nameLen, address(value), valueLen}
	}
	return lowered
}

// Log writes a line.
func Log(level uint8, message string, fields []Field) {
	lowered := lower(fields)
	at, length := text(message)
	importLog(uint32(level), at, length, unsafe.Pointer(unsafe.SliceData(lowered)), uint32(len(lowered)))
	runtime.KeepAlive(fields)
}

// FileStat looks at a file.
func FileStat(root, path string) (Metadata, bool, error) {
	c := enter(small)
	defer c.leave()
	rootAt, rootLen := text(root)
	pathAt, pathLen := text(path)
	importStat(rootAt, rootLen, pathAt, pathLen, c.ret)
	r := c.done()
	if r.U8() != 0 {
		return Metadata{}, false, fileError(r.At(8))
	}
	if r.At(8).U8() == 0 {
		return Metadata{}, false, nil
	}
	return Metadata{r.At(16).U64(), r.At(24).U64()}, true, nil
}

// The largest file that is read at the first attempt.
const firstAttempt = 256 << 10

// FileRead reads a file. A larger one is read at a second attempt, when its size is known, into memory that becomes the
// plugin's without a copy.
func FileRead(root, path string, limit uint64) ([]byte, bool, error) {
	content, ok, err := readFile(root, path, min(limit, firstAttempt))
	failed, isError := err.(*Error)
	if !isError || failed.Kind != ErrTooLarge || failed.Bytes <= firstAttempt || failed.Bytes > limit {
		return content, ok, err
	}
	return readFile(root, path, failed.Bytes)
}

func readFile(root, path string, limit uint64) ([]byte, bool, error) {
	c := enter(uintptr(limit) + small)
	defer c.leave()
	rootAt, rootLen := text(root)
	pathAt, pathLen := text(path)
	importRead(rootAt, rootLen, pathAt, pathLen, limit, c.ret)
	r := c.done()
	if r.U8() != 0 {
		return nil, false, fileError(r.At(8))
	}
	if r.At(8).U8() == 0 {
		return nil, false, nil
	}
	if c.large != nil {
		content := r.At(12).raw()
		return content[:len(content):len(content)], true, nil
	}
	return r.At(12).Bytes(), true, nil
}

// SinkEmit queues a line.
func SinkEmit(sink, payload string) error {
	c := enter(small)
	defer c.leave()
	at, length := text(sink)
	payloadAt, payloadLen := text(payload)
	importEmit(at, length, payloadAt, payloadLen, c.ret)
	return unitOr(c.done(), sinkError)
}

func option(number *uint32) (has, value uint32) {
	if number == nil {
		return 0, 0
	}
	return 1, *number
}

func unitOr(r Place, failed func(Place) error) error {
	if r.U8() == 0 {
		return nil
	}
	return failed(r.At(4))
}

func fileError(p Place) error {
	switch p.U8() {
	case 0:
		return &Error{Kind: ErrDenied, Message: p.At(8).Text()}
	case 1:
		return &Error{Kind: ErrTooLarge, Bytes: p.At(8).U64()}
	case 2:
		return &Error{Kind: ErrInvalid, Message: p.At(8).Text()}
	default:
		return &Error{Kind: ErrUnavailable, Message: p.At(8).Text()}
	}
}

func sinkError(p Place) error {
	switch p.U8() {
	case 0:
		return &Error{Kind: ErrDenied, Message: p.At(4).Text()}
	case 1:
		return &Error{Kind: ErrFull}
	default:
		return &Error{Kind: ErrInvalid, Message: p.At(4).Text()}
	}
}
