// Package files reads files in the roots that are granted, one by one: files/ROOT. A call of a hook may read 64 MiB in
// all. Errors are [tuffet.HostError] values (ErrDenied, ErrTooLarge, ErrInvalid, ErrUnavailable), or fs.ErrNotExist.
package files

import (
	"io/fs"
	"time"

	"tuffet/internal/host"
)

// Metadata of a file.
type Metadata struct {
	Bytes    uint64
	Modified time.Time
}

// Stat returns size and time of change.
func Stat(root, path string) (Metadata, error) {
	found, ok, err := host.FileStat(root, path)
	if err == nil && !ok {
		err = missing("stat", root, path)
	}
	return Metadata{found.Bytes, time.UnixMilli(int64(found.ModifiedUnixMS))}, err
}

// Read returns the whole file, if it has at most limit bytes. Never a mixture: a file that changes meanwhile is read
// anew.
func Read(root, path string, limit uint64) ([]byte, error) {
	content, ok, err := host.FileRead(root, path, limit)
	if err == nil && !ok {
		err = missing("read", root, path)
	}
	return content, err
}

func missing(op, root, path string) error {
	return &fs.PathError{Op: op, Path: root + ":" + path, Err: fs.ErrNotExist}
}
