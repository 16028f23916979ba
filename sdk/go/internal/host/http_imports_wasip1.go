package host

import "unsafe"

// The imports of wasi:http and wasi:io, as the canonical ABI lowers them: those that a small client needs.

//go:wasmimport wasi:http/types@0.2.0 [static]fields.from-list
func fieldsFromList(entries unsafe.Pointer, length uint32, ret unsafe.Pointer)

//go:wasmimport wasi:http/types@0.2.0 [method]fields.entries
func fieldsEntries(fields uint32, ret unsafe.Pointer)

//go:wasmimport wasi:http/types@0.2.0 [resource-drop]fields
func dropFields(fields uint32)

//go:wasmimport wasi:http/types@0.2.0 [constructor]outgoing-request
func newOutgoingRequest(headers uint32) uint32

//go:wasmimport wasi:http/types@0.2.0 [method]outgoing-request.set-method
func setMethod(request, method uint32, text string) uint32

//go:wasmimport wasi:http/types@0.2.0 [method]outgoing-request.set-path-with-query
func setPathWithQuery(request, some uint32, text string) uint32

//go:wasmimport wasi:http/types@0.2.0 [method]outgoing-request.set-scheme
func setScheme(request, some, scheme uint32, text string) uint32

//go:wasmimport wasi:http/types@0.2.0 [method]outgoing-request.set-authority
func setAuthority(request, some uint32, text string) uint32

//go:wasmimport wasi:http/types@0.2.0 [method]outgoing-request.body
func requestBody(request uint32, ret unsafe.Pointer)

//go:wasmimport wasi:http/types@0.2.0 [resource-drop]outgoing-request
func dropOutgoingRequest(request uint32)

//go:wasmimport wasi:http/types@0.2.0 [method]outgoing-body.write
func bodyWrite(body uint32, ret unsafe.Pointer)

//go:wasmimport wasi:http/types@0.2.0 [static]outgoing-body.finish
func finishBody(body, some, trailers uint32, ret unsafe.Pointer)

//go:wasmimport wasi:http/types@0.2.0 [resource-drop]outgoing-body
func dropOutgoingBody(body uint32)

//go:wasmimport wasi:http/outgoing-handler@0.2.0 handle
func handle(request, some, options uint32, ret unsafe.Pointer)

//go:wasmimport wasi:http/types@0.2.0 [method]future-incoming-response.subscribe
func futureSubscribe(future uint32) uint32

//go:wasmimport wasi:http/types@0.2.0 [method]future-incoming-response.get
func futureGet(future uint32, ret unsafe.Pointer)

//go:wasmimport wasi:http/types@0.2.0 [resource-drop]future-incoming-response
func dropFuture(future uint32)

//go:wasmimport wasi:http/types@0.2.0 [method]incoming-response.status
func responseStatus(response uint32) uint32

//go:wasmimport wasi:http/types@0.2.0 [method]incoming-response.headers
func responseHeaders(response uint32) uint32

//go:wasmimport wasi:http/types@0.2.0 [method]incoming-response.consume
func responseConsume(response uint32, ret unsafe.Pointer)

//go:wasmimport wasi:http/types@0.2.0 [resource-drop]incoming-response
func dropIncomingResponse(response uint32)

//go:wasmimport wasi:http/types@0.2.0 [method]incoming-body.stream
func bodyStream(body uint32, ret unsafe.Pointer)

//go:wasmimport wasi:http/types@0.2.0 [resource-drop]incoming-body
func dropIncomingBody(body uint32)

//go:wasmimport wasi:io/poll@0.2.0 [method]pollable.block
func pollableBlock(pollable uint32)

//go:wasmimport wasi:io/poll@0.2.0 [resource-drop]pollable
func dropPollable(pollable uint32)

//go:wasmimport wasi:io/streams@0.2.0 [method]input-stream.blocking-read
func blockingRead(stream uint32, length uint64, ret unsafe.Pointer)

//go:wasmimport wasi:io/streams@0.2.0 [resource-drop]input-stream
func dropInputStream(stream uint32)

//go:wasmimport wasi:io/streams@0.2.0 [method]output-stream.blocking-write-and-flush
func blockingWriteAndFlush(stream uint32, bytes string, ret unsafe.Pointer)

//go:wasmimport wasi:io/streams@0.2.0 [resource-drop]output-stream
func dropOutputStream(stream uint32)

//go:wasmimport wasi:io/error@0.2.0 [resource-drop]error
func dropError(err uint32)
