// Package kv has keys and values that outlive the call and the process. It needs the grant kv, and does not work in
// Configure. Errors are [tuffet.HostError] values: ErrDenied, ErrQuota, ErrInvalid, ErrUnavailable.
//
// Each plugin has its own namespace. With the grant kv/NAME, plugins share the namespace [Shared]("NAME"), and where the keys
// are in a bucket of NATS, the plugins of all its servers do.
package kv

import (
	"time"

	"tuffet/internal/host"
	"tuffet/internal/wire"
)

// Forever keeps a value or a counter for good.
const Forever time.Duration = -1

// An Entry is a value and its revision. Each change of a key gives it a higher one.
type Entry = host.Entry

// Get returns the value of a key, and whether there is one.
func Get(key string) (value []byte, ok bool, err error) { return host.KVGet(key) }

// GetEntry returns the value of a key with the revision for [Swap], and whether there is one.
func GetEntry(key string) (entry Entry, ok bool, err error) { return host.KVGetEntry(key) }

// Set replaces a value of at most 64 KiB. It is gone after ttl, which is rounded up to seconds.
func Set(key string, value []byte, ttl time.Duration) error {
	return host.KVSet(key, value, wire.Seconds(ttl))
}

// Create sets the value of a key that does not exist. It returns the revision, and whether it did.
func Create(key string, value []byte, ttl time.Duration) (revision uint64, ok bool, err error) {
	return host.KVSwap(key, nil, value, wire.Seconds(ttl))
}

// Swap replaces a value if the key still has this revision. It returns the new revision, and whether it did; otherwise read
// the entry again, and decide anew. After ErrUnavailable the value may have been replaced all the same.
func Swap(key string, revision uint64, value []byte, ttl time.Duration) (now uint64, ok bool, err error) {
	return host.KVSwap(key, &revision, value, wire.Seconds(ttl))
}

// Delete removes a key. That it was not there is no error.
func Delete(key string) error { return host.KVDelete(key) }

// Increment adds to a counter, which begins at 0, and returns its value. The ttl, rounded up to seconds, holds from when
// the counter begins: a later increment does not prolong it.
func Increment(key string, by int64, ttl time.Duration) (int64, error) {
	return host.KVIncrement(key, by, wire.Seconds(ttl))
}

// List returns a page of the keys that begin with prefix, in the order of their bytes: those after the key after, at most
// limit, and never more than 1000. An empty page is the end. Changes between two pages may be seen or not.
func List(prefix, after string, limit int) ([]string, error) {
	return host.KVList(prefix, after, limit)
}
