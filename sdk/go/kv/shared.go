package kv

import (
	"time"

	"tuffet/internal/host"
	"tuffet/internal/wire"
)

// Shared is the name of a namespace that plugins share: the grant kv/NAME. Its methods are the functions of this package. The
// quota of the plugin that writes counts all keys of the namespace.
type Shared string

// Get returns the value of a key, and whether there is one.
func (s Shared) Get(key string) (value []byte, ok bool, err error) {
	entry, ok, err := s.GetEntry(key)
	return entry.Value, ok, err
}

// GetEntry returns the value of a key with the revision for [Shared.Swap], and whether there is one.
func (s Shared) GetEntry(key string) (entry Entry, ok bool, err error) {
	return host.SharedGetEntry(string(s), key)
}

// Set is [Set] of this namespace.
func (s Shared) Set(key string, value []byte, ttl time.Duration) error {
	return host.SharedSet(string(s), key, value, wire.Seconds(ttl))
}

// Create is [Create] of this namespace.
func (s Shared) Create(key string, value []byte, ttl time.Duration) (revision uint64, ok bool, err error) {
	return host.SharedSwap(string(s), key, nil, value, wire.Seconds(ttl))
}

// Swap is [Swap] of this namespace.
func (s Shared) Swap(key string, revision uint64, value []byte, ttl time.Duration) (now uint64, ok bool, err error) {
	return host.SharedSwap(string(s), key, &revision, value, wire.Seconds(ttl))
}

// Delete is [Delete] of this namespace.
func (s Shared) Delete(key string) error { return host.SharedDelete(string(s), key) }

// Increment is [Increment] of this namespace.
func (s Shared) Increment(key string, by int64, ttl time.Duration) (int64, error) {
	return host.SharedIncrement(string(s), key, by, wire.Seconds(ttl))
}

// List is [List] of this namespace.
func (s Shared) List(prefix, after string, limit int) ([]string, error) {
	return host.SharedList(string(s), prefix, after, limit)
}
