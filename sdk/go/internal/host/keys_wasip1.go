package host

import (
	"math"
	"unsafe"
)

// The most bytes of a value.
const largestValue = 64 << 10

// The most keys in a page, and the most bytes that each of them takes.
const (
	largestPage = 1000
	sizeOfKey   = 8 + 256
)

// KVGet returns the value of a key.
func KVGet(key string) ([]byte, bool, error) {
	c := enter(largestValue + small)
	defer c.leave()
	at, length := text(key)
	importGet(at, length, c.ret)
	r := c.done()
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
	c := enter(small)
	defer c.leave()
	at, length := text(key)
	has, seconds := option(ttl)
	importSet(at, length, unsafe.Pointer(unsafe.SliceData(value)), uint32(len(value)), has, seconds, c.ret)
	return unitOr(c.done(), kvError)
}

// KVDelete removes a key.
func KVDelete(key string) error {
	c := enter(small)
	defer c.leave()
	at, length := text(key)
	importDelete(at, length, c.ret)
	return unitOr(c.done(), kvError)
}

// KVIncrement adds to a counter.
func KVIncrement(key string, by int64, ttl *uint32) (int64, error) {
	c := enter(small)
	defer c.leave()
	at, length := text(key)
	has, seconds := option(ttl)
	importIncrement(at, length, by, has, seconds, c.ret)
	return sumOf(c.done())
}

// KVGetEntry returns the value of a key and its revision.
func KVGetEntry(key string) (Entry, bool, error) {
	c := enter(largestValue + small)
	defer c.leave()
	at, length := text(key)
	importGetEntry(at, length, c.ret)
	return entryOf(c.done())
}

// KVSwap sets the value of a key at this revision, or with nil one that is not there.
func KVSwap(key string, revision *uint64, value []byte, ttl *uint32) (uint64, bool, error) {
	c := enter(small)
	defer c.leave()
	at, length := text(key)
	hasRevision, number := optionU64(revision)
	has, seconds := option(ttl)
	importSwap(at, length, hasRevision, number, unsafe.Pointer(unsafe.SliceData(value)), uint32(len(value)), has, seconds, c.ret)
	return swapped(c.done())
}

// KVList returns a page of the keys.
func KVList(prefix, after string, limit int) ([]string, error) {
	c := enter(pageSize(limit))
	defer c.leave()
	at, length := text(prefix)
	afterAt, afterLen := text(after)
	importList(at, length, given(after), afterAt, afterLen, page(limit), c.ret)
	return keysOf(c.done())
}

// SharedGetEntry is [KVGetEntry] of a shared namespace.
func SharedGetEntry(space, key string) (Entry, bool, error) {
	c := enter(largestValue + small)
	defer c.leave()
	spaceAt, spaceLen := text(space)
	at, length := text(key)
	importSharedGet(spaceAt, spaceLen, at, length, c.ret)
	return entryOf(c.done())
}

// SharedSet is [KVSet] of a shared namespace.
func SharedSet(space, key string, value []byte, ttl *uint32) error {
	c := enter(small)
	defer c.leave()
	spaceAt, spaceLen := text(space)
	at, length := text(key)
	has, seconds := option(ttl)
	importSharedSet(spaceAt, spaceLen, at, length, unsafe.Pointer(unsafe.SliceData(value)), uint32(len(value)), has, seconds, c.ret)
	return unitOr(c.done(), kvError)
}

// SharedDelete is [KVDelete] of a shared namespace.
func SharedDelete(space, key string) error {
	c := enter(small)
	defer c.leave()
	spaceAt, spaceLen := text(space)
	at, length := text(key)
	importSharedDelete(spaceAt, spaceLen, at, length, c.ret)
	return unitOr(c.done(), kvError)
}

// SharedIncrement is [KVIncrement] of a shared namespace.
func SharedIncrement(space, key string, by int64, ttl *uint32) (int64, error) {
	c := enter(small)
	defer c.leave()
	spaceAt, spaceLen := text(space)
	at, length := text(key)
	has, seconds := option(ttl)
	importSharedIncrement(spaceAt, spaceLen, at, length, by, has, seconds, c.ret)
	return sumOf(c.done())
}

// SharedSwap is [KVSwap] of a shared namespace.
func SharedSwap(space, key string, revision *uint64, value []byte, ttl *uint32) (uint64, bool, error) {
	c := enter(small)
	defer c.leave()
	spaceAt, spaceLen := text(space)
	at, length := text(key)
	hasRevision, number := optionU64(revision)
	has, seconds := option(ttl)
	importSharedSwap(spaceAt, spaceLen, at, length, hasRevision, number, unsafe.Pointer(unsafe.SliceData(value)), uint32(len(value)), has, seconds, c.ret)
	return swapped(c.done())
}

// SharedList is [KVList] of a shared namespace.
func SharedList(space, prefix, after string, limit int) ([]string, error) {
	c := enter(pageSize(limit))
	defer c.leave()
	spaceAt, spaceLen := text(space)
	at, length := text(prefix)
	afterAt, afterLen := text(after)
	importSharedList(spaceAt, spaceLen, at, length, given(after), afterAt, afterLen, page(limit), c.ret)
	return keysOf(c.done())
}

func page(limit int) uint32 { return uint32(min(max(limit, 0), math.MaxInt32)) }

func pageSize(limit int) uintptr { return uintptr(min(page(limit), largestPage))*sizeOfKey + small }

// given is 1 for a text that is not empty.
func given(text string) uint32 { return uint32(min(len(text), 1)) }

func optionU64(number *uint64) (has uint32, value uint64) {
	if number == nil {
		return 0, 0
	}
	return 1, *number
}

func entryOf(r Place) (Entry, bool, error) {
	if r.U8() != 0 {
		return Entry{}, false, kvError(r.At(8))
	}
	if r.At(8).U8() == 0 {
		return Entry{}, false, nil
	}
	return Entry{r.At(16).Bytes(), r.At(24).U64()}, true, nil
}

func swapped(r Place) (uint64, bool, error) {
	if r.U8() != 0 {
		return 0, false, kvError(r.At(8))
	}
	if r.At(8).U8() == 0 {
		return 0, false, nil
	}
	return r.At(16).U64(), true, nil
}

func sumOf(r Place) (int64, error) {
	if r.U8() != 0 {
		return 0, kvError(r.At(8))
	}
	return int64(r.At(8).U64()), nil
}

func keysOf(r Place) ([]string, error) {
	if r.U8() != 0 {
		return nil, kvError(r.At(4))
	}
	first, length := r.At(4).List()
	keys := make([]string, length)
	for i := range keys {
		keys[i] = first.At(uintptr(8 * i)).Text()
	}
	return keys, nil
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
