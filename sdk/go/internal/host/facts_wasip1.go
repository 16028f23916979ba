package host

import (
	"runtime"
	"unsafe"
)

// The most bytes of an upload that are read at once: they fit into the arena.
const uploadPart = 256 << 10

// UploadRead reads bytes of the upload, part by part.
func UploadRead(offset uint64, length uint32) ([]byte, error) {
	content := []byte{}
	for {
		part := min(length, uploadPart)
		read, err := readUpload(offset, part)
		if err != nil {
			return nil, err
		}
		content = append(content, read...)
		offset += uint64(len(read))
		length -= uint32(len(read))
		if length == 0 || uint32(len(read)) < part {
			return content, nil
		}
	}
}

func readUpload(offset uint64, length uint32) ([]byte, error) {
	c := enter(uintptr(length) + small)
	defer c.leave()
	importUploadRead(offset, length, c.ret)
	r := c.done()
	if r.U8() == 0 {
		return r.At(4).Bytes(), nil
	}
	kinds := []error{ErrDenied, ErrInvalid, ErrUnavailable}
	return nil, &Error{Kind: kinds[r.At(4).U8()], Message: r.At(8).Text()}
}

// MetricsAdd adds to a counter.
func MetricsAdd(name string, labels []Field, by uint64) error {
	lowered := lower(labels)
	c := enter(small)
	defer c.leave()
	at, length := text(name)
	importMetricsAdd(at, length, unsafe.Pointer(unsafe.SliceData(lowered)), uint32(len(lowered)), by, c.ret)
	runtime.KeepAlive(labels)
	return unitOr(c.done(), metricsError)
}

// MetricsSet sets a gauge.
func MetricsSet(name string, labels []Field, value float64) error {
	lowered := lower(labels)
	c := enter(small)
	defer c.leave()
	at, length := text(name)
	importMetricsSet(at, length, unsafe.Pointer(unsafe.SliceData(lowered)), uint32(len(lowered)), value, c.ret)
	runtime.KeepAlive(labels)
	return unitOr(c.done(), metricsError)
}

func metricsError(p Place) error {
	switch p.U8() {
	case 0:
		return &Error{Kind: ErrDenied, Message: p.At(4).Text()}
	case 1:
		return &Error{Kind: ErrFull, Message: "the plugin has as many series as it may have"}
	default:
		return &Error{Kind: ErrInvalid, Message: p.At(4).Text()}
	}
}

// The size of a past request in memory.
const sizeOfPast = 24

// Recent returns the last requests of the client.
func Recent() ([]Past, error) {
	c := enter(small)
	defer c.leave()
	importRecent(c.ret)
	r := c.done()
	if r.U8() != 0 {
		kinds := []error{ErrDenied, ErrInvalid}
		return nil, &Error{Kind: kinds[r.At(4).U8()], Message: r.At(8).Text()}
	}
	first, length := r.At(4).List()
	list := make([]Past, length)
	for i := range list {
		p := first.At(uintptr(i) * sizeOfPast)
		list[i] = Past{p.U8(), p.At(4).Text(), p.At(12).U8(), p.At(16).U64()}
	}
	return list, nil
}
