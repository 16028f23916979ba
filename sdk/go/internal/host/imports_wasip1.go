package host

import "unsafe"

// The imports, as the canonical ABI lowers those of sdk/wit/policy.wit: an option is a flag and a value, a list of bytes is
// like a text, another list is an address and a length. `ret` is where the server puts a result.

//go:wasmimport tuffet:policy/log@1.0.0 log
func importLog(level uint32, message string, fields unsafe.Pointer, fieldsLen uint32)

//go:wasmimport tuffet:policy/kv@1.0.0 get
func importGet(isShared bool, space, key string, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/kv@1.0.0 set
func importSet(isShared bool, space, key, value string, hasTTL bool, ttl uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/kv@1.0.0 delete
func importDelete(isShared bool, space, key string, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/kv@1.0.0 increment
func importIncrement(isShared bool, space, key string, by int64, hasTTL bool, ttl uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/kv@1.0.0 swap
func importSwap(isShared bool, space, key string, exists bool, revision uint64, value string, hasTTL bool, ttl uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/kv@1.0.0 list
func importList(isShared bool, space, prefix string, hasAfter bool, after string, limit uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/kv@1.0.0 delete-prefix
func importDeletePrefix(isShared bool, space, prefix string, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/files@1.0.0 stat
func importStat(root, path string, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/files@1.0.0 read
func importRead(root, path string, limit uint64, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/files@1.0.0 read-at
func importReadAt(root, path, version string, offset uint64, length uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/upload-content@1.0.0 read
func importUploadRead(offset uint64, length uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/sinks@1.0.0 emit
func importEmit(sink, payload string, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/metrics@1.0.0 add
func importMetricsAdd(name string, by uint64, labels unsafe.Pointer, labelsLen uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/metrics@1.0.0 set
func importMetricsSet(name string, value float64, labels unsafe.Pointer, labelsLen uint32, ret unsafe.Pointer)

//go:wasmimport tuffet:policy/history@1.0.0 recent
func importRecent(ret unsafe.Pointer)
