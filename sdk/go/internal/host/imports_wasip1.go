package host

import (
	"unsafe"
)

// The imports, as the canonical ABI lowers those of sdk/wit/v0.2/policy.wit. `ret` is where the server puts a result.

//go:wasmimport tuffet:policy/log@0.2.0 log
func importLog(level uint32, message unsafe.Pointer, messageLen uint32, fields unsafe.Pointer, fieldsLen uint32)

//go:wasmimport tuffet:policy/kv@0.2.0 get
func importGet(key unsafe.Pointer, keyLen uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/kv@0.2.0 set
func importSet(key unsafe.Pointer, keyLen uint32, value unsafe.Pointer, valueLen, hasTTL, ttl uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/kv@0.2.0 delete
func importDelete(key unsafe.Pointer, keyLen uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/kv@0.2.0 increment
func importIncrement(key unsafe.Pointer, keyLen uint32, by int64, hasTTL, ttl uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/files@0.2.0 stat
func importStat(root unsafe.Pointer, rootLen uint32, path unsafe.Pointer, pathLen uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/files@0.2.0 read
func importRead(root unsafe.Pointer, rootLen uint32, path unsafe.Pointer, pathLen uint32, limit uint64, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/sinks@0.2.0 emit
func importEmit(sink unsafe.Pointer, sinkLen uint32, payload unsafe.Pointer, payloadLen uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/kv@0.2.0 get-entry
func importGetEntry(key unsafe.Pointer, keyLen uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/kv@0.2.0 swap
func importSwap(key unsafe.Pointer, keyLen, hasRevision uint32, revision uint64, value unsafe.Pointer, valueLen, hasTTL, ttl uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/kv@0.2.0 list
func importList(prefix unsafe.Pointer, prefixLen, hasAfter uint32, after unsafe.Pointer, afterLen, limit uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/shared-kv@0.2.0 get
func importSharedGet(space unsafe.Pointer, spaceLen uint32, key unsafe.Pointer, keyLen uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/shared-kv@0.2.0 set
func importSharedSet(space unsafe.Pointer, spaceLen uint32, key unsafe.Pointer, keyLen uint32, value unsafe.Pointer, valueLen, hasTTL, ttl uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/shared-kv@0.2.0 delete
func importSharedDelete(space unsafe.Pointer, spaceLen uint32, key unsafe.Pointer, keyLen uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/shared-kv@0.2.0 increment
func importSharedIncrement(space unsafe.Pointer, spaceLen uint32, key unsafe.Pointer, keyLen uint32, by int64, hasTTL, ttl uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/shared-kv@0.2.0 swap
func importSharedSwap(space unsafe.Pointer, spaceLen uint32, key unsafe.Pointer, keyLen, hasRevision uint32, revision uint64, value unsafe.Pointer, valueLen, hasTTL, ttl uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/shared-kv@0.2.0 list
func importSharedList(space unsafe.Pointer, spaceLen uint32, prefix unsafe.Pointer, prefixLen, hasAfter uint32, after unsafe.Pointer, afterLen, limit uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/upload-content@0.2.0 read
func importUploadRead(offset uint64, length uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/metrics@0.2.0 add
func importMetricsAdd(name unsafe.Pointer, nameLen uint32, labels unsafe.Pointer, labelsLen uint32, by uint64, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/metrics@0.2.0 set
func importMetricsSet(name unsafe.Pointer, nameLen uint32, labels unsafe.Pointer, labelsLen uint32, value float64, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/history@0.2.0 recent
func importRecent(ret unsafe.Pointer)
