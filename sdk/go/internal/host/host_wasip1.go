package host

import (
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"tuffet/internal/abi"
)

const (
	// Bytes of an answer without content: the message of an error.
	small = 16 << 10
	// The most bytes of a value of a key.
	largestValue = 64 << 10
	// The most keys in a page, and the most bytes that each of them takes.
	largestPage = 1000
	largestKey  = 256
	// Keys and values of a page, behind which the last may reach.
	largestList  = 1<<20 + largestKey + largestValue
	sizeOfListed = 64
	// The largest file that is read at the first attempt, and the most bytes that are read at once of another, or of an
	// upload: they fit into the arena.
	part = 256 << 10
)

// result returns the value of a result in place, or its error.
func result[T any](c *call) (*T, error) {
	r := (*abi.Result[T])(c.done())
	if r.Tag == 0 {
		return &r.Value, nil
	}
	failed := abi.As[abi.Error](&r.Value)
	return nil, &Error{Code(failed.Code.String()), failed.Message.String()}
}

// maybe returns the value of a result in place; nil for none.
func maybe[T any](c *call) (*T, error) {
	option, err := result[abi.Option[T]](c)
	if err != nil {
		return nil, err
	}
	return option.Get(), nil
}

// done is a result without a value, whose error follows its tag.
func done(c *call) error {
	_, err := result[abi.Error](c)
	return err
}

// lower returns where names and values are; the caller keeps the fields alive.
func lower(fields []Field) (unsafe.Pointer, uint32) {
	lowered := make([][4]uint32, len(fields))
	for i, field := range fields {
		lowered[i] = [4]uint32{
			address(field.Name), uint32(len(field.Name)), address(field.Value), uint32(len(field.Value)),
		}
	}
	return unsafe.Pointer(unsafe.SliceData(lowered)), uint32(len(lowered))
}

func address(text string) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.StringData(text)))) }

// text returns bytes as a text, in place.
func text(bytes []byte) string { return unsafe.String(unsafe.SliceData(bytes), len(bytes)) }

// option lowers a value that may be missing.
func option[T any](value *T) (has bool, its T) {
	if value == nil {
		return false, its
	}
	return true, *value
}

// Log writes a line.
func Log(level uint8, message string, fields []Field) {
	at, length := lower(fields)
	importLog(uint32(level), message, at, length)
	runtime.KeepAlive(fields)
}

// KVGet returns the value of a key and its revision. The namespace of all these functions is the plugin's own if it is nil.
func KVGet(space *string, key string) (Entry, bool, error) {
	isShared, name := option(space)
	c := enter(largestValue + small)
	defer c.leave()
	importGet(isShared, name, key, c.ret)
	entry, err := maybe[abi.Entry](&c)
	if entry == nil {
		return Entry{}, false, err
	}
	return Entry{entry.Value.Bytes(), entry.Revision}, true, nil
}

// KVSet sets the value of a key.
func KVSet(space *string, key string, value []byte, ttl *uint32) error {
	isShared, name := option(space)
	hasTTL, seconds := option(ttl)
	c := enter(small)
	defer c.leave()
	importSet(isShared, name, key, text(value), hasTTL, seconds, c.ret)
	return done(&c)
}

// KVDelete removes a key.
func KVDelete(space *string, key string) error {
	isShared, name := option(space)
	c := enter(small)
	defer c.leave()
	importDelete(isShared, name, key, c.ret)
	return done(&c)
}

// KVIncrement adds to a counter.
func KVIncrement(space *string, key string, by int64, ttl *uint32) (int64, error) {
	isShared, name := option(space)
	hasTTL, seconds := option(ttl)
	c := enter(small)
	defer c.leave()
	importIncrement(isShared, name, key, by, hasTTL, seconds, c.ret)
	sum, err := result[int64](&c)
	if err != nil {
		return 0, err
	}
	return *sum, nil
}

// KVSwap sets the value of a key at this revision, or with nil one that is not there.
func KVSwap(space *string, key string, revision *uint64, value []byte, ttl *uint32) (uint64, bool, error) {
	isShared, name := option(space)
	exists, number := option(revision)
	hasTTL, seconds := option(ttl)
	c := enter(small)
	defer c.leave()
	importSwap(isShared, name, key, exists, number, text(value), hasTTL, seconds, c.ret)
	now, err := maybe[uint64](&c)
	if now == nil {
		return 0, false, err
	}
	return *now, true, nil
}

// KVList returns a page of the keys, with their entries.
func KVList(space *string, prefix, after string, limit int) ([]Listed, error) {
	isShared, name := option(space)
	page := uint32(min(max(limit, 0), math.MaxInt32))
	keys := uintptr(min(page, largestPage))
	c := enter(min(keys*(largestKey+largestValue), largestList) + keys*sizeOfListed + small)
	defer c.leave()
	importList(isShared, name, prefix, after != "", after, page, c.ret)
	listed, err := result[abi.List[abi.Listed]](&c)
	if err != nil {
		return nil, err
	}
	return abi.Lift(*listed, func(its *abi.Listed) Listed {
		return Listed{its.Key.String(), Entry{its.Entry.Value.Bytes(), its.Entry.Revision}}
	}), nil
}

// KVDeletePrefix removes keys, and returns how many.
func KVDeletePrefix(space *string, prefix string) (int, error) {
	isShared, name := option(space)
	c := enter(small)
	defer c.leave()
	importDeletePrefix(isShared, name, prefix, c.ret)
	removed, err := result[uint32](&c)
	if err != nil {
		return 0, err
	}
	return int(*removed), nil
}

// FileStat looks at a file.
func FileStat(root, path string) (Metadata, bool, error) {
	c := enter(small)
	defer c.leave()
	importStat(root, path, c.ret)
	found, err := maybe[abi.Metadata](&c)
	if found == nil {
		return Metadata{}, false, err
	}
	return Metadata{found.Size, found.ModifiedUnixMS, found.Version.String()}, true, nil
}

// FileRead reads a file. A larger one is read when its size is known, into memory that becomes the plugin's without a copy.
func FileRead(root, path string, limit uint64) ([]byte, bool, error) {
	tried := min(limit, part)
	content, ok, err := readFile(root, path, tried)
	// Again if the file has grown since its size was asked.
	for tried < limit && tooLarge(err) {
		found, there, failed := FileStat(root, path)
		if failed != nil || !there || found.Size <= tried {
			return nil, false, err
		}
		if tried = found.Size; tried > limit {
			return nil, false, &Error{TooLarge, fmt.Sprintf("the file has %d bytes, more than %d", tried, limit)}
		}
		content, ok, err = readFile(root, path, tried)
	}
	return content, ok, err
}

func tooLarge(err error) bool {
	failed, ok := err.(*Error)
	return ok && failed.Code == TooLarge
}

func readFile(root, path string, limit uint64) ([]byte, bool, error) {
	c := enter(uintptr(limit) + small)
	defer c.leave()
	importRead(root, path, limit, c.ret)
	content, err := maybe[abi.Text](&c)
	if content == nil {
		return nil, false, err
	}
	if c.large != nil {
		raw := content.Raw()
		return raw[:len(raw):len(raw)], true, nil
	}
	return content.Bytes(), true, nil
}

// FileReadAt reads bytes of a version of a file.
func FileReadAt(root, path, version string, offset uint64, length uint32) ([]byte, error) {
	return inParts(offset, length, func(offset uint64, length uint32, ret unsafe.Pointer) {
		importReadAt(root, path, version, offset, length, ret)
	})
}

// UploadRead reads bytes of the upload.
func UploadRead(offset uint64, length uint32) ([]byte, error) {
	return inParts(offset, length, importUploadRead)
}

// inParts reads until the file ends.
func inParts(offset uint64, length uint32, read func(uint64, uint32, unsafe.Pointer)) ([]byte, error) {
	content := make([]byte, 0, min(length, part))
	for {
		wanted := min(length, part)
		more, err := readPart(&content, offset, wanted, read)
		if err != nil {
			return nil, err
		}
		offset += uint64(more)
		length -= more
		if length == 0 || more < wanted {
			return content, nil
		}
	}
}

func readPart(content *[]byte, offset uint64, length uint32, read func(uint64, uint32, unsafe.Pointer)) (uint32, error) {
	c := enter(uintptr(length) + small)
	defer c.leave()
	read(offset, length, c.ret)
	more, err := result[abi.Text](&c)
	if err != nil {
		return 0, err
	}
	*content = append(*content, more.Raw()...)
	return uint32(len(more.Raw())), nil
}

// SinkEmit queues a line.
func SinkEmit(sink, payload string) error {
	c := enter(small)
	defer c.leave()
	importEmit(sink, payload, c.ret)
	return done(&c)
}

// MetricsAdd adds to a counter.
func MetricsAdd(name string, by uint64, labels []Field) error {
	at, length := lower(labels)
	c := enter(small)
	defer c.leave()
	importMetricsAdd(name, by, at, length, c.ret)
	runtime.KeepAlive(labels)
	return done(&c)
}

// MetricsSet sets a gauge.
func MetricsSet(name string, value float64, labels []Field) error {
	at, length := lower(labels)
	c := enter(small)
	defer c.leave()
	importMetricsSet(name, value, at, length, c.ret)
	runtime.KeepAlive(labels)
	return done(&c)
}

// Recent returns the last requests of the client.
func Recent() ([]Past, error) {
	c := enter(small)
	defer c.leave()
	importRecent(c.ret)
	past, err := result[abi.List[abi.PastRequest]](&c)
	if err != nil {
		return nil, err
	}
	return abi.Lift(*past, func(its *abi.PastRequest) Past {
		return Past{its.Operation, its.Path.String(), its.Outcome.String(), its.EndedMSAgo}
	}), nil
}
