package host

import (
	"math"
	"time"
)

// Seconds rounds a time to live up; nil for one that is negative, or longer than a century.
func Seconds(ttl time.Duration) *uint32 {
	rounded := ttl / time.Second
	if ttl%time.Second > 0 {
		rounded++
	}
	if ttl < 0 || rounded > math.MaxUint32 {
		return nil
	}
	number := uint32(rounded)
	return &number
}
