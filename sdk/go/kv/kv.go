// Package kv has keys and values that outlive the call and the process. It needs the grant kv, and does not work in
// Configure. Errors are [tuffet.HostError] values: ErrDenied, ErrQuota, ErrInvalid, ErrUnavailable.
package kv

import (
	"time"

	"tuffet/internal/host"
)

// Get returns the value of a key, and whether there is one.
func Get(key string) (value []byte, ok bool, err error) { return host.KVGet(key) }

// Set replaces a value of at most 64 KiB. It is gone after ttl; 0 keeps it for good.
func Set(key string, value []byte, ttl time.Duration) error {
	return host.KVSet(key, value, seconds(ttl))
}

// SetFor is Set with a value that may expire at once: a ttl of 0 is no time.
func SetFor(key string, value []byte, ttl time.Duration) error {
	return host.KVSet(key, value, always(ttl))
}

// Delete removes a key. That it was not there is no error.
func Delete(key string) error { return host.KVDelete(key) }

// Increment adds to a counter, which begins at 0, and returns its value. The ttl holds from when the counter begins; 0
// keeps it for good.
func Increment(key string, by int64, ttl time.Duration) (int64, error) {
	return host.KVIncrement(key, by, seconds(ttl))
}

// seconds rounds up, because a short time is not for good.
func seconds(ttl time.Duration) *uint32 {
	if ttl <= 0 {
		return nil
	}
	return always(ttl)
}

func always(ttl time.Duration) *uint32 {
	rounded := (max(ttl, 0) + time.Second - 1) / time.Second
	if rounded > 1<<32-1 {
		return nil // More than a century.
	}
	number := uint32(rounded)
	return &number
}
