package abi

import "unsafe"

// Raw returns the bytes in place.
func (t Text) Raw() []byte { return unsafe.Slice((*byte)(pointer(t.at)), t.length) }

func (t Text) String() string { return string(t.Raw()) }

// Bytes copies the bytes.
func (t Text) Bytes() []byte { return append([]byte{}, t.Raw()...) }

// Lift copies a list; nil if it is empty.
func Lift[T, G any](list List[T], lift func(*T) G) []G {
	return LiftAll(unsafe.Slice((*T)(pointer(list.at)), list.length), lift)
}

// LiftAll copies what a list has; nil for nothing.
func LiftAll[T, G any](items []T, lift func(*T) G) []G {
	if len(items) == 0 {
		return nil
	}
	lifted := make([]G, len(items))
	for i := range items {
		lifted[i] = lift(&items[i])
	}
	return lifted
}

// Get returns the value in place; nil for none.
func (o *Option[T]) Get() *T {
	if !o.has {
		return nil
	}
	return &o.value
}

// Some is an option with a value.
func Some[T any](value T) Option[T] { return Option[T]{has: true, value: value} }

// Maybe is an option with a value, or none for nil.
func Maybe[T any](value *T) Option[T] {
	if value == nil {
		return Option[T]{}
	}
	return Some(*value)
}

// NotZero is an option with a number, or none for 0.
func NotZero[T uint8 | uint16 | uint64](number T) Option[T] {
	return Option[T]{has: number != 0, value: number}
}

// As returns the room for a payload as that of a case.
func As[T, P any](payload *P) *T { return (*T)(unsafe.Pointer(payload)) }

// The memory that the last answer points to: the server has read it before the next call.
var kept []unsafe.Pointer

// Forget releases the memory that the last answer points to.
func Forget() {
	clear(kept)
	kept = kept[:0]
}

// Put lowers a text of an answer.
func Put(text string) Text {
	return Text{at: keep(unsafe.Pointer(unsafe.StringData(text))), length: uint32(len(text))}
}

// PutBytes lowers bytes of an answer.
func PutBytes(bytes []byte) Text {
	return Text{at: keep(unsafe.Pointer(unsafe.SliceData(bytes))), length: uint32(len(bytes))}
}

// PutList lowers a list of an answer.
func PutList[G, T any](items []G, lower func(G) T) List[T] {
	lowered := make([]T, len(items))
	for i, item := range items {
		lowered[i] = lower(item)
	}
	return List[T]{at: keep(unsafe.Pointer(unsafe.SliceData(lowered))), length: uint32(len(lowered))}
}

func keep(memory unsafe.Pointer) uint32 {
	kept = append(kept, memory)
	return uint32(uintptr(memory))
}

// pointer returns the pointer to an address of WebAssembly.
func pointer(address uint32) unsafe.Pointer {
	at := uintptr(address)
	return *(*unsafe.Pointer)(unsafe.Pointer(&at))
}
