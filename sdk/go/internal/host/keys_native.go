//go:build !wasip1

package host

import (
	"encoding/binary"
	"fmt"
	"math"
	"sort"
	"strings"
)

func checkKey(key string) error {
	if len(key) < 1 || len(key) > 256 {
		return &Error{Kind: ErrInvalid, Message: fmt.Sprintf("a key has 1 to 256 bytes, not %d", len(key))}
	}
	return nil
}

// put sets a value, and returns its revision.
func (s *State) put(key Key, value []byte) uint64 {
	s.Changes++
	s.Keys[key] = Entry{append([]byte{}, value...), s.Changes}
	return s.Changes
}

// KVGet returns a value.
func KVGet(key string) (value []byte, ok bool, err error) {
	entry, ok, err := KVGetEntry(key)
	return entry.Value, ok, err
}

// KVGetEntry returns a value and its revision.
func KVGetEntry(key string) (Entry, bool, error) { return SharedGetEntry("", key) }

// KVSet keeps a value; its time to live is not simulated, except that one of 0 is over at once.
func KVSet(key string, value []byte, ttl *uint32) error { return SharedSet("", key, value, ttl) }

// KVDelete removes a value.
func KVDelete(key string) error { return SharedDelete("", key) }

// KVIncrement adds to a counter.
func KVIncrement(key string, by int64, ttl *uint32) (int64, error) {
	return SharedIncrement("", key, by, ttl)
}

// KVSwap sets a value at a revision.
func KVSwap(key string, revision *uint64, value []byte, ttl *uint32) (uint64, bool, error) {
	return SharedSwap("", key, revision, value, ttl)
}

// KVList returns a page of the keys.
func KVList(prefix, after string, limit int) ([]string, error) {
	return SharedList("", prefix, after, limit)
}

// SharedGetEntry returns a value and its revision.
func SharedGetEntry(space, key string) (entry Entry, ok bool, err error) {
	err = checkKey(key)
	With(func(s *State) { entry, ok = s.Keys[Key{space, key}] })
	entry.Value = append([]byte(nil), entry.Value...)
	return entry, ok, err
}

// SharedSet keeps a value.
func SharedSet(space, key string, value []byte, ttl *uint32) error {
	if len(value) > 64<<10 {
		return &Error{Kind: ErrInvalid, Message: "a value has at most 64 KiB"}
	}
	if ttl != nil && *ttl == 0 {
		return SharedDelete(space, key)
	}
	err := checkKey(key)
	if err == nil {
		With(func(s *State) { s.put(Key{space, key}, value) })
	}
	return err
}

// SharedDelete removes a value.
func SharedDelete(space, key string) error {
	With(func(s *State) { delete(s.Keys, Key{space, key}) })
	return checkKey(key)
}

// SharedIncrement adds to a counter.
func SharedIncrement(space, key string, by int64, _ *uint32) (sum int64, err error) {
	if err = checkKey(key); err != nil {
		return 0, err
	}
	With(func(s *State) {
		entry, ok := s.Keys[Key{space, key}]
		if ok && len(entry.Value) != 8 {
			err = &Error{Kind: ErrInvalid, Message: "the value is no counter"}
			return
		}
		if ok {
			sum = int64(binary.LittleEndian.Uint64(entry.Value))
		}
		switch {
		case by > 0 && sum > math.MaxInt64-by:
			sum = math.MaxInt64
		case by < 0 && sum < math.MinInt64-by:
			sum = math.MinInt64
		default:
			sum += by
		}
		s.put(Key{space, key}, binary.LittleEndian.AppendUint64(nil, uint64(sum)))
	})
	return sum, err
}

// SharedSwap sets a value at a revision.
func SharedSwap(space, key string, revision *uint64, value []byte, _ *uint32) (now uint64, ok bool, err error) {
	if err = checkKey(key); err != nil {
		return 0, false, err
	}
	With(func(s *State) {
		entry, there := s.Keys[Key{space, key}]
		if ok = there == (revision != nil) && (revision == nil || *revision == entry.Revision); ok {
			now = s.put(Key{space, key}, value)
		}
	})
	return now, ok, nil
}

// SharedList returns a page of the keys.
func SharedList(space, prefix, after string, limit int) (keys []string, err error) {
	With(func(s *State) {
		for key := range s.Keys {
			if key.Space == space && strings.HasPrefix(key.Key, prefix) && key.Key > after {
				keys = append(keys, key.Key)
			}
		}
	})
	sort.Strings(keys)
	return keys[:min(len(keys), max(limit, 0), 1000)], nil
}
