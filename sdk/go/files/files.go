// Package files reads files in the roots that are granted, one by one: files/ROOT. A call of a hook may read 64 MiB in
// all. Errors are [tuffet.Error] values, or fs.ErrNotExist.
package files

import (
	"io/fs"
	"time"

	"tuffet/internal/host"
)

// Metadata of a file.
type Metadata struct {
	// In bytes.
	Size     uint64
	Modified time.Time
	// Names this content of the file: another one after each change. Compare it, and read nothing else from it.
	Version string
}

// Stat returns size, time of change and version.
func Stat(root, path string) (Metadata, error) {
	found, ok, err := host.FileStat(root, path)
	if err == nil && !ok {
		err = missing("stat", root, path)
	}
	return Metadata{found.Size, time.UnixMilli(int64(found.ModifiedUnixMS)), found.Version}, err
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

// ReadAt returns bytes of a version of the file, as [Stat] gave it; fewer than length where the file ends. For a file that
// has another version, or is gone, the error is ErrChanged.
func ReadAt(root, path, version string, offset uint64, length uint32) ([]byte, error) {
	return host.FileReadAt(root, path, version, offset, length)
}

func missing(op, root, path string) error {
	return &fs.PathError{Op: op, Path: root + ":" + path, Err: fs.ErrNotExist}
}
