package host

import (
	"runtime"
	"runtime/debug"
	"unsafe"
)

// The server puts what it hands over into memory that it gets from cabi_realloc, before it calls a hook and while it
// answers a call. At both times a component must not call the server. Go's allocator may start a collection, which reads
// the clock, which is such a call. So this memory comes from a buffer of its own that is no part of the heap, is copied
// at once, and is then free again.
const arenaSize = 1 << 20

var (
	arena     [arenaSize / 8]uint64
	arenaUsed uintptr
	// How many copies are being made. Copying allocates, and then another goroutine may run and call the server, too: only
	// the last one that leaves frees the buffer.
	copying int
	// A buffer in place of the arena, for one call of the server.
	large     []byte
	largeUsed uintptr
	// What did not fit, held until it is copied.
	extra [][]byte
)

// What the adapter of WASI keeps: its state and its stack. It asks for them once.
var (
	adapter     [256 << 10 / 8]uint64
	adapterUsed uintptr
)

func init() {
	// Until the settings were read, so that settings that are larger than the arena may come from the heap.
	debug.SetGCPercent(-1)
}

// Settled ends the time without collections: the settings were copied.
func Settled() { debug.SetGCPercent(100) }

//go:wasmexport cabi_realloc
//go:nosplit
func realloc(old unsafe.Pointer, oldSize, align, size uint32) unsafe.Pointer {
	base, length, used := unsafe.Pointer(&arena), uintptr(arenaSize), &arenaUsed
	if large != nil {
		base, length, used = unsafe.Pointer(unsafe.SliceData(large)), uintptr(len(large)), &largeUsed
	}
	start := (*used + uintptr(align) - 1) &^ (uintptr(align) - 1)
	if length < start || length-start < uintptr(size) {
		return fromHeap(old, oldSize, size)
	}
	*used = start + uintptr(size)
	at := unsafe.Add(base, start)
	if oldSize > 0 {
		move(at, old, min(oldSize, size))
	}
	return at
}

//go:wasmexport cabi_realloc_adapter
//go:nosplit
func reallocAdapter(old unsafe.Pointer, oldSize, align, size uint32) unsafe.Pointer {
	start := (adapterUsed + uintptr(align) - 1) &^ (uintptr(align) - 1)
	if uintptr(len(adapter)*8)-start < uintptr(size) {
		trap()
	}
	adapterUsed = start + uintptr(size)
	return unsafe.Add(unsafe.Pointer(&adapter), start)
}

// fromHeap serves what does not fit: settings of more than a megabyte, while there are no collections, or a batch of
// events of that size.
//
//go:noinline
func fromHeap(old unsafe.Pointer, oldSize, size uint32) unsafe.Pointer {
	bytes := make([]uint64, size/8+1)
	at := unsafe.Pointer(unsafe.SliceData(bytes))
	extra = append(extra, unsafe.Slice((*byte)(at), size))
	if oldSize > 0 {
		move(at, old, min(oldSize, size))
	}
	return at
}

//go:nosplit
func move(to, from unsafe.Pointer, n uint32) {
	for i := uintptr(0); i < uintptr(n); i++ {
		*(*byte)(unsafe.Add(to, i)) = *(*byte)(unsafe.Add(from, i))
	}
}

// Enter begins to copy parameters of a hook.
func Enter() { copying++ }

// Leave ends it: everything was copied.
func Leave() {
	if copying--; copying == 0 {
		arenaUsed, extra = 0, nil
	}
}

// A call of the server.
type call struct {
	// Where the server puts the result.
	ret unsafe.Pointer
	// What it handed over, if that is not in the arena.
	large []byte
}

// Bytes of a result, without what it points to.
const resultSize = 64

// enter begins a call that is answered with at most `size` bytes. Nothing may be allocated from then on until `done`.
func enter(size uintptr) call {
	copying++
	if arenaSize-arenaUsed < size+resultSize {
		buffer := make([]byte, size+resultSize)
		large, largeUsed = buffer, 0
	}
	return call{ret: realloc(nil, 0, 8, resultSize)}
}

// done returns the result, as soon as the server has answered.
func (c *call) done() unsafe.Pointer {
	c.large, large = large, nil
	return c.ret
}

// leave ends the call: everything was copied.
func (c *call) leave() {
	runtime.KeepAlive(c.large)
	Leave()
}

// Trap ends the instance.
func Trap() { trap() }

func trap()
