// Package kv has keys and values that outlive the call and the process. Errors are [tuffet.Error] values.
//
// The functions are for the plugin's own namespace, with the grant kv. With the grant kv/NAME, plugins share the namespace
// [Shared]("NAME"), and where the keys are in a bucket of NATS, the plugins of all its servers do.
package kv

import (
	"time"

	"tuffet/internal/host"
)

// Forever keeps a value or a counter for good.
const Forever time.Duration = -1

// An Entry is a value and its revision. Each change of a key gives it a higher one.
type Entry = host.Entry

// A Listed key has its entry with it.
type Listed = host.Listed

// Shared is the name of a namespace that plugins share. Its methods are the functions of this package. The quota of the
// plugin that writes counts all keys of the namespace.
type Shared string

// Get returns the value of a key, and whether there is one.
func Get(key string) (value []byte, ok bool, err error) {
	entry, ok, err := host.KVGet(nil, key)
	return entry.Value, ok, err
}

// GetEntry returns the value of a key with the revision for [Swap], and whether there is one.
func GetEntry(key string) (entry Entry, ok bool, err error) { return host.KVGet(nil, key) }

// Set replaces a value of at most 64 KiB. It is gone after ttl, which is rounded up to seconds.
func Set(key string, value []byte, ttl time.Duration) error {
	return host.KVSet(nil, key, value, host.Seconds(ttl))
}

// Create sets the value of a key that does not exist. It returns the revision, and whether it did.
func Create(key string, value []byte, ttl time.Duration) (revision uint64, ok bool, err error) {
	return host.KVSwap(nil, key, nil, value, host.Seconds(ttl))
}

// Swap replaces a value if the key still has this revision. It returns the new revision, and whether it did; otherwise read
// the entry again, and decide anew. After ErrUnavailable the value may have been replaced all the same.
func Swap(key string, revision uint64, value []byte, ttl time.Duration) (now uint64, ok bool, err error) {
	return host.KVSwap(nil, key, &revision, value, host.Seconds(ttl))
}

// Delete removes a key. That it was not there is no error.
func Delete(key string) error { return host.KVDelete(nil, key) }

// Increment adds to a counter, which begins at 0, and returns its value. The ttl, rounded up to seconds, holds from when
// the counter begins: a later increment does not prolong it.
func Increment(key string, by int64, ttl time.Duration) (int64, error) {
	return host.KVIncrement(nil, key, by, host.Seconds(ttl))
}

// List returns a page of the keys that begin with prefix, with their entries, in the order of the bytes of the keys: those
// after the key after, at most limit, never more than 1000, and none behind 1 MiB. An empty page is the end. Changes between
// two pages may be seen or not.
func List(prefix, after string, limit int) ([]Listed, error) {
	return host.KVList(nil, prefix, after, limit)
}

// DeletePrefix removes keys that begin with prefix, at most 1000, and returns how many: call it until that is 0.
func DeletePrefix(prefix string) (int, error) { return host.KVDeletePrefix(nil, prefix) }

// Get is [Get] of this namespace.
func (s Shared) Get(key string) (value []byte, ok bool, err error) {
	entry, ok, err := s.GetEntry(key)
	return entry.Value, ok, err
}

// GetEntry is [GetEntry] of this namespace.
func (s Shared) GetEntry(key string) (entry Entry, ok bool, err error) {
	return host.KVGet((*string)(&s), key)
}

// Set is [Set] of this namespace.
func (s Shared) Set(key string, value []byte, ttl time.Duration) error {
	return host.KVSet((*string)(&s), key, value, host.Seconds(ttl))
}

// Create is [Create] of this namespace.
func (s Shared) Create(key string, value []byte, ttl time.Duration) (revision uint64, ok bool, err error) {
	return host.KVSwap((*string)(&s), key, nil, value, host.Seconds(ttl))
}

// Swap is [Swap] of this namespace.
func (s Shared) Swap(key string, revision uint64, value []byte, ttl time.Duration) (now uint64, ok bool, err error) {
	return host.KVSwap((*string)(&s), key, &revision, value, host.Seconds(ttl))
}

// Delete is [Delete] of this namespace.
func (s Shared) Delete(key string) error { return host.KVDelete((*string)(&s), key) }

// Increment is [Increment] of this namespace.
func (s Shared) Increment(key string, by int64, ttl time.Duration) (int64, error) {
	return host.KVIncrement((*string)(&s), key, by, host.Seconds(ttl))
}

// List is [List] of this namespace.
func (s Shared) List(prefix, after string, limit int) ([]Listed, error) {
	return host.KVList((*string)(&s), prefix, after, limit)
}

// DeletePrefix is [DeletePrefix] of this namespace.
func (s Shared) DeletePrefix(prefix string) (int, error) {
	return host.KVDeletePrefix((*string)(&s), prefix)
}
