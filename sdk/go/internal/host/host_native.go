//go:build !wasip1

package host

import (
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

// A Key in a shared namespace, or in the plugin's own, whose name is empty.
type Key struct{ Space, Key string }

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
