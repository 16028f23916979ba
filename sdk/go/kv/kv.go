// Package kv has keys and values that outlive the call and the process. It needs the grant kv, and does not work in
// Configure. Errors are [tuffet.HostError] values: ErrDenied, ErrQuota, ErrInvalid, ErrUnavailable.
package kv

import (
	"math"
	"time"

	"tuffet/internal/host"
)

// Forever keeps a value or a counter for good.
const Forever time.Duration = -1

// Get returns the value of a key, and whether there is one.
func Get(key string) (value []byte, ok bool, err error) { return host.KVGet(key) }

// Set replaces a value of at most 64 KiB. It is gone after ttl, which is rounded up to seconds.
func Set(key string, value []byte, ttl time.Duration) error {
	return host.KVSet(key, value, seconds(ttl))
}

// Delete removes a key. That it was not there is no error.
func Delete(key string) error { return host.KVDelete(key) }

// Increment adds to a counter, which begins at 0, and returns its value. The ttl, rounded up to seconds, holds from when
// the counter begins: a later increment does not prolong it.
func Increment(key string, by int64, ttl time.Duration) (int64, error) {
	return host.KVIncrement(key, by, seconds(ttl))
}

func seconds(ttl time.Duration) *uint32 {
	rounded := (ttl + time.Second - 1) / time.Second
	if ttl < 0 || rounded > math.MaxUint32 { // More than a century.
		return nil
	}
	number := uint32(rounded)
	return &number
}
