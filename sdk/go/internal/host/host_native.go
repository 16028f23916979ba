//go:build !wasip1

package host

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"time"
)

// The stand-ins of native tests, behind the package tuffettest.

// A Logged is a line of the log.
type Logged struct {
	Level   uint8
	Message string
	Fields  []Field
}

// A State is what the stand-ins hold.
type State struct {
	Keys      map[string][]byte
	Files     map[string][]byte
	Emitted   map[string][]string
	Logged    []Logged
	Responses map[string]Response
	// Sinks that are full.
	Full map[string]bool
}

var (
	mutex sync.Mutex
	state = fresh()
)

func fresh() *State {
	return &State{map[string][]byte{}, map[string][]byte{}, map[string][]string{}, nil, map[string]Response{}, map[string]bool{}}
}

// Reset empties the stand-ins.
func Reset() { With(func(s *State) { *s = *fresh() }) }

// With gives access to the stand-ins.
func With(use func(*State)) {
	mutex.Lock()
	defer mutex.Unlock()
	use(state)
}

// Log keeps a line.
func Log(level uint8, message string, fields []Field) {
	With(func(s *State) { s.Logged = append(s.Logged, Logged{level, message, fields}) })
}

func checkKey(key string) error {
	if len(key) < 1 || len(key) > 256 {
		return &Error{Kind: ErrInvalid, Message: fmt.Sprintf("a key has 1 to 256 bytes, not %d", len(key))}
	}
	return nil
}

// KVGet returns a value.
func KVGet(key string) (value []byte, ok bool, err error) {
	err = checkKey(key)
	With(func(s *State) { value, ok = s.Keys[key] })
	return append([]byte(nil), value...), ok, err
}

// KVSet keeps a value; its time to live is not simulated, except that one of 0 is over at once.
func KVSet(key string, value []byte, ttl *uint32) error {
	if len(value) > 64<<10 {
		return &Error{Kind: ErrInvalid, Message: "a value has at most 64 KiB"}
	}
	if ttl != nil && *ttl == 0 {
		return KVDelete(key)
	}
	err := checkKey(key)
	if err == nil {
		With(func(s *State) { s.Keys[key] = append([]byte{}, value...) })
	}
	return err
}

// KVDelete removes a value.
func KVDelete(key string) error {
	With(func(s *State) { delete(s.Keys, key) })
	return checkKey(key)
}

// KVIncrement adds to a counter.
func KVIncrement(key string, by int64, _ *uint32) (sum int64, err error) {
	if err = checkKey(key); err != nil {
		return 0, err
	}
	With(func(s *State) {
		value, ok := s.Keys[key]
		if ok && len(value) != 8 {
			err = &Error{Kind: ErrInvalid, Message: "the value is no counter"}
			return
		}
		if ok {
			sum = int64(binary.LittleEndian.Uint64(value))
		}
		switch {
		case by > 0 && sum > math.MaxInt64-by:
			sum = math.MaxInt64
		case by < 0 && sum < math.MinInt64-by:
			sum = math.MinInt64
		default:
			sum += by
		}
		s.Keys[key] = binary.LittleEndian.AppendUint64(nil, uint64(sum))
	})
	return sum, err
}

// FileStat looks at a file.
func FileStat(root, path string) (Metadata, bool, error) {
	content, ok, err := FileRead(root, path, math.MaxUint64)
	return Metadata{uint64(len(content)), uint64(time.Unix(0, 0).UnixMilli())}, ok, err
}

// FileRead reads a file.
func FileRead(root, path string, limit uint64) (content []byte, ok bool, err error) {
	With(func(s *State) { content, ok = s.Files[root+":"+path] })
	if uint64(len(content)) > limit {
		return nil, false, &Error{Kind: ErrTooLarge, Bytes: uint64(len(content))}
	}
	return append([]byte(nil), content...), ok, nil
}

// SinkEmit keeps a line.
func SinkEmit(sink, payload string) (err error) {
	if len(payload) > 32<<10 {
		return &Error{Kind: ErrInvalid, Message: "a payload has at most 32 KiB"}
	}
	With(func(s *State) {
		if s.Full[sink] {
			err = &Error{Kind: ErrFull}
			return
		}
		s.Emitted[sink] = append(s.Emitted[sink], payload)
	})
	return err
}

// HTTPSend answers with what was put there.
func HTTPSend(request *Request, limit int) (response Response, err error) {
	ok := false
	With(func(s *State) { response, ok = s.Responses[request.URL] })
	switch {
	case !ok:
		return Response{}, &Error{Kind: ErrDenied}
	case len(response.Body) > limit:
		return Response{}, &Error{Kind: ErrTooLarge}
	}
	return response, nil
}
