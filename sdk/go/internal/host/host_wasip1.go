package host

import (
	"unsafe"
)

// Where the server puts the result of a call. One is enough: a call is over before another goroutine runs.
var result [8]uint64

func ret() unsafe.Pointer { return unsafe.Pointer(&result) }

func returned() Place { return Place(uintptr(ret())) }

func text(s string) (unsafe.Pointer, uint32) {
	return unsafe.Pointer(unsafe.StringData(s)), uint32(len(s))
}

// Log writes a line.
func Log(level uint8, message string, fields []Field) {
	lowered := make([][4]uint32, len(fields))
	for i, field := range fields {
		name, nameLen := text(field.Name)
		value, valueLen := text(field.Value)
		lowered[i] = [4]uint32{address(name), nameLen, address(value), valueLen}
	}
	at, length := text(message)
	importLog(uint32(level), at, length, unsafe.Pointer(unsafe.SliceData(lowered)), uint32(len(lowered)))
	// The lowered fields hold addresses only.
	keep = fields
	keep = nil
}

// What the server reads by its address.
var keep any

// KVGet returns the value of a key.
func KVGet(key string) ([]byte, bool, error) {
	defer Free()
	at, length := text(key)
	importGet(at, length, ret())
	r := returned()
	if r.U8() != 0 {
		return nil, false, kvError(r.At(4))
	}
	if r.At(4).U8() == 0 {
		return nil, false, nil
	}
	return r.At(8).Bytes(), true, nil
}

// KVSet sets the value of a key.
func KVSet(key string, value []byte, ttl *uint32) error {
	defer Free()
	at, length := text(key)
	has, seconds := option(ttl)
	importSet(at, length, unsafe.Pointer(unsafe.SliceData(value)), uint32(len(value)), has, seconds, ret())
	return unitOr(kvError)
}

// KVDelete removes a key.
func KVDelete(key string) error {
	defer Free()
	at, length := text(key)
	importDelete(at, length, ret())
	return unitOr(kvError)
}

// KVIncrement adds to a counter.
func KVIncrement(key string, by int64, ttl *uint32) (int64, error) {
	defer Free()
	at, length := text(key)
	has, seconds := option(ttl)
	importIncrement(at, length, by, has, seconds, ret())
	r := returned()
	if r.U8() != 0 {
		return 0, kvError(r.At(8))
	}
	return int64(r.At(8).U64()), nil
}

// FileStat looks at a file.
func FileStat(root, path string) (Metadata, bool, error) {
	defer Free()
	rootAt, rootLen := text(root)
	pathAt, pathLen := text(path)
	importStat(rootAt, rootLen, pathAt, pathLen, ret())
	r := returned()
	if r.U8() != 0 {
		return Metadata{}, false, fileError(r.At(8))
	}
	if r.At(8).U8() == 0 {
		return Metadata{}, false, nil
	}
	return Metadata{r.At(16).U64(), r.At(24).U64()}, true, nil
}

// What an answer has beside the content of a file: the message of an error.
const besideContent = 16 << 10

// FileRead reads a file. One that does not fit into the arena is read into memory of its own at a second attempt, when
// its size is known.
func FileRead(root, path string, limit uint64) ([]byte, bool, error) {
	content, ok, err := readFile(root, path, min(limit, arenaSize-besideContent))
	if err == nil || limit <= arenaSize-besideContent {
		return content, ok, err
	}
	failed, isError := err.(*Error)
	if !isError || failed.Kind != ErrTooLarge || failed.Bytes <= arenaSize-besideContent || failed.Bytes > limit {
		return nil, false, err
	}
	large = make([]byte, failed.Bytes+besideContent)
	return readFile(root, path, failed.Bytes)
}

func readFile(root, path string, limit uint64) ([]byte, bool, error) {
	defer Free()
	rootAt, rootLen := text(root)
	pathAt, pathLen := text(path)
	importRead(rootAt, rootLen, pathAt, pathLen, limit, ret())
	r := returned()
	if r.U8() != 0 {
		return nil, false, fileError(r.At(8))
	}
	if r.At(8).U8() == 0 {
		return nil, false, nil
	}
	if large != nil {
		// It is the plugin's from now on, without a copy.
		content := r.At(12).raw()
		return content[:len(content):len(content)], true, nil
	}
	return r.At(12).Bytes(), true, nil
}

// SinkEmit queues a line.
func SinkEmit(sink, payload string) error {
	defer Free()
	at, length := text(sink)
	payloadAt, payloadLen := text(payload)
	importEmit(at, length, payloadAt, payloadLen, ret())
	return unitOr(sinkError)
}

func option(number *uint32) (has, value uint32) {
	if number == nil {
		return 0, 0
	}
	return 1, *number
}

func unitOr(failed func(Place) error) error {
	if returned().U8() == 0 {
		return nil
	}
	return failed(returned().At(4))
}

func kvError(p Place) error {
	switch p.U8() {
	case 0:
		return &Error{Kind: ErrDenied, Message: p.At(4).Text()}
	case 1:
		return &Error{Kind: ErrQuota}
	case 2:
		return &Error{Kind: ErrInvalid, Message: p.At(4).Text()}
	default:
		return &Error{Kind: ErrUnavailable, Message: p.At(4).Text()}
	}
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
