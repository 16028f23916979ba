package host

import (
	"unsafe"
)

// The imports, as the canonical ABI lowers those of sdk/wit/policy.wit. `ret` is where the server puts a result.

//go:wasmimport tuffet:policy/log@0.1.0 log
func importLog(level uint32, message unsafe.Pointer, messageLen uint32, fields unsafe.Pointer, fieldsLen uint32)

//go:wasmimport tuffet:policy/kv@0.1.0 get
func importGet(key unsafe.Pointer, keyLen uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/kv@0.1.0 set
func importSet(key unsafe.Pointer, keyLen uint32, value unsafe.Pointer, valueLen, hasTTL, ttl uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/kv@0.1.0 delete
func importDelete(key unsafe.Pointer, keyLen uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/kv@0.1.0 increment
func importIncrement(key unsafe.Pointer, keyLen uint32, by int64, hasTTL, ttl uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/files@0.1.0 stat
func importStat(root unsafe.Pointer, rootLen uint32, path unsafe.Pointer, pathLen uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/files@0.1.0 read
func importRead(root unsafe.Pointer, rootLen uint32, path unsafe.Pointer, pathLen uint32, limit uint64, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/sinks@0.1.0 emit
func importEmit(sink unsafe.Pointer, sinkLen uint32, payload unsafe.Pointer, payloadLen uint32, ret unsafe.Pointer)
