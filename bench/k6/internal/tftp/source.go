package tftp

import "math/rand"

// Source is what a write sends: bytes that were given, or made-up ones of a given size.
type Source struct {
	data []byte
	size int64
}

// The made-up bytes repeat after so many; no block is longer, so each lies in one piece.
const patternPeriod = 65536

var pattern = makePattern()

func makePattern() []byte {
	bytes := make([]byte, 2*patternPeriod)
	random := rand.New(rand.NewSource(1)) // #nosec G404 -- test data, the same in each run
	for i := range patternPeriod {
		bytes[i] = byte(random.Intn(256))
	}
	copy(bytes[patternPeriod:], bytes[:patternPeriod])
	return bytes
}

// Bytes sends these bytes; they must not change meanwhile.
func Bytes(data []byte) Source {
	return Source{data: data, size: int64(len(data))}
}

// Made sends so many bytes that look random and are always the same.
func Made(size int64) Source {
	return Source{size: size}
}

// block gives the bytes at an offset, at most length of them.
func (s Source) block(offset int64, length int) []byte {
	length = int(min(int64(length), s.size-offset))
	if s.data != nil {
		return s.data[offset:][:length]
	}
	return pattern[offset%patternPeriod:][:length]
}
