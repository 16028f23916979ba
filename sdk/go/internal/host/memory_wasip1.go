package host

import "unsafe"

// A Place is an address in memory where the server put a value, in the layout of the canonical ABI.
type Place uintptr

// At returns the place at an offset.
func (p Place) At(offset uintptr) Place { return p + Place(offset) }

func (p Place) pointer() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// U8 reads a number, an enum or the case of a variant.
func (p Place) U8() uint8 { return *(*uint8)(p.pointer()) }

// U16 reads a number.
func (p Place) U16() uint16 { return *(*uint16)(p.pointer()) }

// U32 reads a number.
func (p Place) U32() uint32 { return *(*uint32)(p.pointer()) }

// U64 reads a number.
func (p Place) U64() uint64 { return *(*uint64)(p.pointer()) }

// List returns where the elements of a list are, and how many.
func (p Place) List() (Place, int) { return Place(p.U32()), int(p.At(4).U32()) }

// raw returns the bytes of a text or a list, which are valid until Free.
func (p Place) raw() []byte {
	start, length := p.List()
	if length == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(start.pointer()), length)
}

// Text copies a text.
func (p Place) Text() string { return string(p.raw()) }

// Bytes copies bytes.
func (p Place) Bytes() []byte { return append([]byte{}, p.raw()...) }

// OptionText copies a text that may be missing.
func (p Place) OptionText() *string {
	if p.U8() == 0 {
		return nil
	}
	text := p.At(4).Text()
	return &text
}

// OptionU64 reads a number that may be missing.
func (p Place) OptionU64() *uint64 {
	if p.U8() == 0 {
		return nil
	}
	number := p.At(8).U64()
	return &number
}

// OptionU8 reads a number that may be missing.
func (p Place) OptionU8() *uint8 {
	if p.U8() == 0 {
		return nil
	}
	number := p.At(1).U8()
	return &number
}

// PutU8 writes a number, an enum or the case of a variant.
func (p Place) PutU8(value uint8) { *(*uint8)(p.pointer()) = value }

// PutU16 writes a number.
func (p Place) PutU16(value uint16) { *(*uint16)(p.pointer()) = value }

// PutU32 writes a number.
func (p Place) PutU32(value uint32) { *(*uint32)(p.pointer()) = value }

// PutU64 writes a number.
func (p Place) PutU64(value uint64) { *(*uint64)(p.pointer()) = value }

// PutText writes where a text is; somebody has to keep it.
func (p Place) PutText(text string) {
	p.PutU32(address(unsafe.Pointer(unsafe.StringData(text))))
	p.At(4).PutU32(uint32(len(text)))
}

// PutBytes writes where bytes are; somebody has to keep them.
func (p Place) PutBytes(bytes []byte) {
	p.PutU32(address(unsafe.Pointer(unsafe.SliceData(bytes))))
	p.At(4).PutU32(uint32(len(bytes)))
}

// PlaceOf returns where memory of Go is; somebody has to keep it.
func PlaceOf(memory []uint64) Place {
	return Place(uintptr(unsafe.Pointer(unsafe.SliceData(memory))))
}

func address(pointer unsafe.Pointer) uint32 { return uint32(uintptr(pointer)) }
