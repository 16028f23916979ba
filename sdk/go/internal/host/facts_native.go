//go:build !wasip1

package host

import (
	"fmt"
	"sort"
)

// UploadRead reads bytes of the upload.
func UploadRead(offset uint64, length uint32) (content []byte, err error) {
	With(func(s *State) {
		if s.Upload == nil {
			err = &Error{Kind: ErrDenied, Message: "there is an upload only in AcceptUpload: tuffettest.Upload has its content"}
			return
		}
		rest := s.Upload[min(offset, uint64(len(s.Upload))):]
		content = append([]byte{}, rest[:min(uint64(length), uint64(len(rest)))]...)
	})
	return content, err
}

// Series is the name of a series and its labels, in their order.
func Series(name string, labels []Field) string {
	sorted := append([]Field(nil), labels...)
	sort.Slice(sorted, func(a, b int) bool { return sorted[a].Name < sorted[b].Name })
	return fmt.Sprintf("%s%q", name, sorted)
}

// MetricsAdd adds to a counter.
func MetricsAdd(name string, labels []Field, by uint64) error {
	With(func(s *State) { s.Metrics[Series(name, labels)] += float64(by) })
	return nil
}

// MetricsSet sets a gauge.
func MetricsSet(name string, labels []Field, value float64) error {
	With(func(s *State) { s.Metrics[Series(name, labels)] = value })
	return nil
}

// Recent returns the last requests of the client.
func Recent() (past []Past, err error) {
	With(func(s *State) { past = append(past, s.Past...) })
	return past, nil
}
