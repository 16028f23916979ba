//go:build !wasip1

package host

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"sort"
	"strings"
	"sync"
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
	Keys map[Key]Entry
	// The number of changes of keys, which is the newest revision.
	Changes   uint64
	Files     map[string][]byte
	Emitted   map[string][]string
	Logged    []Logged
	Responses map[string]Response
	// Sinks that are full.
	Full map[string]bool
	// nil outside of AcceptUpload.
	Upload  []byte
	Metrics map[string]float64
	Past    []Past
}

// A Key in a shared namespace, or in the plugin's own.
type Key struct {
	IsShared   bool
	Space, Key string
}

var (
	mutex sync.Mutex
	state = fresh()
)

func fresh() *State {
	return &State{
		Keys: map[Key]Entry{}, Files: map[string][]byte{}, Emitted: map[string][]string{}, Responses: map[string]Response{},
		Full: map[string]bool{}, Metrics: map[string]float64{},
	}
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

func keyOf(space *string, key string) (Key, error) {
	its := Key{Key: key}
	if space != nil {
		its.IsShared, its.Space = true, *space
	}
	if len(key) < 1 || len(key) > 256 {
		return its, &Error{BadArgument, fmt.Sprintf("a key has 1 to 256 bytes, not %d", len(key))}
	}
	return its, nil
}

// put sets a value, and returns its revision.
func (s *State) put(key Key, value []byte) uint64 {
	s.Changes++
	s.Keys[key] = Entry{append([]byte{}, value...), s.Changes}
	return s.Changes
}

// KVGet returns a value and its revision.
func KVGet(space *string, key string) (entry Entry, ok bool, err error) {
	its, err := keyOf(space, key)
	With(func(s *State) { entry, ok = s.Keys[its] })
	entry.Value = append([]byte(nil), entry.Value...)
	return entry, ok, err
}

// KVSet keeps a value; its time to live is not simulated, except that one of 0 is over at once.
func KVSet(space *string, key string, value []byte, ttl *uint32) error {
	if len(value) > 64<<10 {
		return &Error{BadArgument, "a value has at most 64 KiB"}
	}
	if ttl != nil && *ttl == 0 {
		return KVDelete(space, key)
	}
	its, err := keyOf(space, key)
	if err == nil {
		With(func(s *State) { s.put(its, value) })
	}
	return err
}

// KVDelete removes a value.
func KVDelete(space *string, key string) error {
	its, err := keyOf(space, key)
	With(func(s *State) { delete(s.Keys, its) })
	return err
}

// KVIncrement adds to a counter.
func KVIncrement(space *string, key string, by int64, _ *uint32) (sum int64, err error) {
	its, err := keyOf(space, key)
	if err != nil {
		return 0, err
	}
	With(func(s *State) {
		entry, ok := s.Keys[its]
		if ok && len(entry.Value) != 8 {
			err = &Error{BadArgument, "the value is no counter"}
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
		s.put(its, binary.LittleEndian.AppendUint64(nil, uint64(sum)))
	})
	return sum, err
}

// KVSwap sets a value at a revision.
func KVSwap(space *string, key string, revision *uint64, value []byte, _ *uint32) (now uint64, ok bool, err error) {
	its, err := keyOf(space, key)
	if err != nil {
		return 0, false, err
	}
	With(func(s *State) {
		entry, there := s.Keys[its]
		if ok = there == (revision != nil) && (revision == nil || *revision == entry.Revision); ok {
			now = s.put(its, value)
		}
	})
	return now, ok, nil
}

// KVList returns a page of the keys, with their entries.
func KVList(space *string, prefix, after string, limit int) (listed []Listed, err error) {
	where, _ := keyOf(space, prefix)
	With(func(s *State) {
		for key, entry := range s.Keys {
			if key.IsShared == where.IsShared && key.Space == where.Space && strings.HasPrefix(key.Key, prefix) && key.Key > after {
				entry.Value = append([]byte(nil), entry.Value...)
				listed = append(listed, Listed{key.Key, entry})
			}
		}
	})
	sort.Slice(listed, func(a, b int) bool { return listed[a].Key < listed[b].Key })
	return listed[:min(len(listed), max(limit, 0), 1000)], nil
}

// KVDeletePrefix removes keys, and returns how many.
func KVDeletePrefix(space *string, prefix string) (int, error) {
	listed, _ := KVList(space, prefix, "", 1000)
	where, _ := keyOf(space, prefix)
	With(func(s *State) {
		for _, its := range listed {
			where.Key = its.Key
			delete(s.Keys, where)
		}
	})
	return len(listed), nil
}

// FileStat looks at a file.
func FileStat(root, path string) (Metadata, bool, error) {
	content, ok, err := FileRead(root, path, math.MaxUint64)
	return Metadata{Size: uint64(len(content)), Version: version(content)}, ok, err
}

// version is a name that the content has until it changes.
func version(content []byte) string {
	sum := fnv.New64a()
	sum.Write(content)
	return fmt.Sprintf("%d-%x", len(content), sum.Sum64())
}

// FileRead reads a file.
func FileRead(root, path string, limit uint64) (content []byte, ok bool, err error) {
	With(func(s *State) { content, ok = s.Files[root+":"+path] })
	if uint64(len(content)) > limit {
		return nil, false, &Error{TooLarge, fmt.Sprintf("the file has %d bytes", len(content))}
	}
	return append([]byte(nil), content...), ok, nil
}

// FileReadAt reads bytes of a version of a file.
func FileReadAt(root, path, of string, offset uint64, length uint32) ([]byte, error) {
	content, ok, err := FileRead(root, path, math.MaxUint64)
	if err == nil && (!ok || version(content) != of) {
		err = &Error{Changed, "the file has another version"}
	}
	return slice(content, offset, length), err
}

// UploadRead reads bytes of the upload.
func UploadRead(offset uint64, length uint32) (content []byte, err error) {
	With(func(s *State) {
		if s.Upload == nil {
			err = &Error{WrongPhase, "there is an upload only in AcceptUpload: tuffettest.Upload has its content"}
		}
		content = slice(s.Upload, offset, length)
	})
	return content, err
}

func slice(content []byte, offset uint64, length uint32) []byte {
	rest := content[min(offset, uint64(len(content))):]
	return append([]byte{}, rest[:min(uint64(length), uint64(len(rest)))]...)
}

// SinkEmit keeps a line.
func SinkEmit(sink, payload string) (err error) {
	if len(payload) > 32<<10 {
		return &Error{BadArgument, "a payload has at most 32 KiB"}
	}
	With(func(s *State) {
		if s.Full[sink] {
			err = &Error{Full, "the queue of the sink is full"}
			return
		}
		s.Emitted[sink] = append(s.Emitted[sink], payload)
	})
	return err
}

// Series is the name of a series and its labels, in their order.
func Series(name string, labels []Field) string {
	sorted := append([]Field(nil), labels...)
	sort.Slice(sorted, func(a, b int) bool { return sorted[a].Name < sorted[b].Name })
	return fmt.Sprintf("%s%q", name, sorted)
}

// MetricsAdd adds to a counter.
func MetricsAdd(name string, by uint64, labels []Field) error {
	With(func(s *State) { s.Metrics[Series(name, labels)] += float64(by) })
	return nil
}

// MetricsSet sets a gauge.
func MetricsSet(name string, value float64, labels []Field) error {
	With(func(s *State) { s.Metrics[Series(name, labels)] = value })
	return nil
}

// Recent returns the last requests of the client.
func Recent() (past []Past, err error) {
	With(func(s *State) { past = append(past, s.Past...) })
	return past, nil
}

// HTTPSend answers with what was put there.
func HTTPSend(request *Request, limit int) (response Response, err error) {
	ok := false
	With(func(s *State) { response, ok = s.Responses[request.URL] })
	switch {
	case !ok:
		return Response{}, &Error{NotGranted, "tuffettest.PutResponse has no response for " + request.URL}
	case len(response.Body) > limit:
		return Response{}, &Error{TooLarge, fmt.Sprintf("the body has more than %d bytes", limit)}
	}
	return response, nil
}
