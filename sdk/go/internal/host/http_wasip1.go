package host

import (
	"fmt"
	"runtime"
	"structs"
	"unsafe"

	"tuffet/internal/abi"
)

// Bytes in a read or write.
const chunk = 4096

// Bytes of all headers of a response.
const headersSize = 256 << 10

// HTTPSend sends a request and waits for the response, whose body may have limit bytes.
func HTTPSend(request *Request, limit int) (Response, error) {
	future, err := begin(request)
	if err != nil {
		return Response{}, err
	}
	defer dropFuture(future)
	ready := futureSubscribe(future)
	pollableBlock(ready)
	dropPollable(ready)
	incoming, err := answerOf(future)
	if err != nil {
		return Response{}, err
	}
	defer dropIncomingResponse(incoming)
	response := Response{Status: uint16(responseStatus(incoming)), Headers: entries(responseHeaders(incoming))}
	response.Body, err = readBody(incoming, limit)
	return response, err
}

// begin sends the request, and returns the future of its response.
func begin(request *Request) (uint32, error) {
	headers, ok := fieldsOf(request.Headers)
	if !ok {
		return 0, &Error{BadArgument, "a header cannot be sent"}
	}
	outgoing := newOutgoingRequest(headers)
	if what := describe(outgoing, request); what != "" {
		dropOutgoingRequest(outgoing)
		return 0, &Error{BadArgument, "the " + what + " cannot be sent"}
	}
	body, ok := child(outgoing, requestBody)
	if !ok {
		dropOutgoingRequest(outgoing)
		return 0, &Error{BadArgument, "the body cannot be sent"}
	}
	future, err := sent(outgoing)
	if err != nil {
		dropOutgoingBody(body)
		return 0, err
	}
	// The response, possibly a refusal, may come before the server has taken the whole body. If none comes, its error
	// says why.
	writeBody(body, request.Body)
	return future, nil
}

// An eight is what lies where a variant with 64-bit numbers has its payload: a handle, or the number of an error code.
type eight = uint64

func sent(outgoing uint32) (uint32, error) {
	c := enter(small)
	defer c.leave()
	handle(outgoing, 0, 0, c.ret)
	r := (*abi.Result[eight])(c.done())
	if r.Tag != 0 {
		return 0, errorCode(r.Value)
	}
	return uint32(r.Value), nil
}

// answerOf returns the response of a future that is ready.
func answerOf(future uint32) (uint32, error) {
	c := enter(small)
	defer c.leave()
	futureGet(future, c.ret)
	r := (*abi.Option[abi.Result[abi.Result[eight]]])(c.done()).Get()
	if r == nil || r.Tag != 0 {
		return 0, noAnswer("the answer was taken already")
	}
	if r.Value.Tag != 0 {
		return 0, errorCode(r.Value.Value)
	}
	return uint32(r.Value.Value), nil
}

// child calls a method that returns another resource, or nothing.
func child(parent uint32, method func(uint32, unsafe.Pointer)) (uint32, bool) {
	c := enter(small)
	defer c.leave()
	method(parent, c.ret)
	r := (*abi.Result[uint32])(c.done())
	return r.Value, r.Tag == 0
}

// describe sets the parts of a request, and returns the part that cannot be sent.
func describe(outgoing uint32, request *Request) string {
	// The cases of the variant `method`; the last one has a text.
	methods := []string{"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"}
	method := uint32(len(methods))
	for number, name := range methods {
		if name == request.Method {
			method = uint32(number)
		}
	}
	scheme := uint32(0)
	if request.TLS {
		scheme = 1
	}
	if setMethod(outgoing, method, request.Method) != 0 {
		return "method"
	}
	if setScheme(outgoing, 1, scheme, "") != 0 {
		return "scheme"
	}
	if setAuthority(outgoing, 1, request.Authority) != 0 {
		return "host"
	}
	if setPathWithQuery(outgoing, 1, request.PathAndQuery) != 0 {
		return "path"
	}
	return ""
}

func fieldsOf(headers []Field) (uint32, bool) {
	at, length := lower(headers)
	c := enter(small)
	defer c.leave()
	fieldsFromList(at, length, c.ret)
	runtime.KeepAlive(headers)
	r := (*abi.Result[uint32])(c.done())
	return r.Value, r.Tag == 0
}

func entries(fields uint32) []Field {
	defer dropFields(fields)
	c := enter(headersSize)
	defer c.leave()
	fieldsEntries(fields, c.ret)
	return abi.Lift(*(*abi.List[abi.Pair])(c.done()), func(pair *abi.Pair) Field {
		return Field{pair.Name.String(), pair.Value.String()}
	})
}

func writeBody(body uint32, content []byte) {
	if len(content) > 0 {
		stream, ok := child(body, bodyWrite)
		if ok {
			for len(content) > 0 && ok {
				part := content[:min(chunk, len(content))]
				content = content[len(part):]
				ok = write(stream, part)
			}
			dropOutputStream(stream)
		}
		if !ok {
			dropOutgoingBody(body)
			return
		}
	}
	c := enter(small)
	defer c.leave()
	finishBody(body, 0, 0, c.ret)
	c.done()
}

func write(stream uint32, part []byte) bool {
	c := enter(small)
	defer c.leave()
	blockingWriteAndFlush(stream, text(part), c.ret)
	r := (*abi.Result[streamError])(c.done())
	if r.Tag != 0 {
		r.Value.drop()
	}
	return r.Tag == 0
}

// readBody reads at most one byte more than the limit, which shows that the body is too long.
func readBody(incoming uint32, limit int) ([]byte, error) {
	body, ok := child(incoming, responseConsume)
	if !ok {
		return nil, noAnswer("the body was taken already")
	}
	defer dropIncomingBody(body)
	stream, ok := child(body, bodyStream)
	if !ok {
		return nil, noAnswer("the body was taken already")
	}
	defer dropInputStream(stream)
	content := []byte{}
	for len(content) <= limit {
		more, ended, err := read(stream)
		if ended || err != nil {
			return content, err
		}
		content = append(content, more...)
	}
	return nil, &Error{TooLarge, fmt.Sprintf("the body has more than %d bytes", limit)}
}

// read reads some bytes, unless the stream has ended.
func read(stream uint32) (bytes []byte, ended bool, err error) {
	c := enter(chunk + small)
	defer c.leave()
	blockingRead(stream, chunk, c.ret)
	r := (*abi.Result[abi.Text])(c.done())
	if r.Tag == 0 {
		return r.Value.Bytes(), false, nil
	}
	if abi.As[streamError](&r.Value).drop() {
		return nil, false, noAnswer("the connection broke")
	}
	return nil, true, nil
}

// A streamError has a resource, unless the stream has ended.
type streamError struct {
	_     structs.HostLayout
	ended bool
	err   uint32
}

// drop drops the resource, and returns whether there was one.
func (e *streamError) drop() bool {
	if e.ended {
		return false
	}
	dropError(e.err)
	return true
}

// The number of HTTP-request-denied among the cases of error-code.
const requestDenied = 15

func errorCode(payload eight) error {
	code := uint8(payload)
	if code == requestDenied {
		return &Error{NotGranted, "the host is not granted; the server's log says more"}
	}
	if int(code) < len(errorCodes) {
		return noAnswer(errorCodes[code])
	}
	return noAnswer("unknown error")
}

func noAnswer(message string) error { return &Error{Unavailable, message} }

// The cases of error-code, in order.
var errorCodes = []string{
	"DNS-timeout", "DNS-error", "destination-not-found", "destination-unavailable", "destination-IP-prohibited",
	"destination-IP-unroutable", "connection-refused", "connection-terminated", "connection-timeout",
	"connection-read-timeout", "connection-write-timeout", "connection-limit-reached", "TLS-protocol-error",
	"TLS-certificate-error", "TLS-alert-received", "HTTP-request-denied", "HTTP-request-length-required",
	"HTTP-request-body-size", "HTTP-request-method-invalid", "HTTP-request-URI-invalid", "HTTP-request-URI-too-long",
	"HTTP-request-header-section-size", "HTTP-request-header-size", "HTTP-request-trailer-section-size",
	"HTTP-request-trailer-size", "HTTP-response-incomplete", "HTTP-response-header-section-size",
	"HTTP-response-header-size", "HTTP-response-body-size", "HTTP-response-trailer-section-size",
	"HTTP-response-trailer-size", "HTTP-response-transfer-coding", "HTTP-response-content-coding",
	"HTTP-response-timeout", "HTTP-upgrade-failed", "HTTP-protocol-error", "loop-detected", "configuration-error",
	"internal-error",
}
