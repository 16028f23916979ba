// Package http sends HTTP requests to granted hosts: http/HOST:PORT. It is a small blocking client: a request counts
// towards the time limit of the call that sends it, at most 16 are sent in a call, and none in Configure.
package http

import (
	"fmt"
	"strings"

	"tuffet/internal/host"
)

// A Header is a name with a value.
type Header struct{ Name, Value string }

// A Request to a host.
type Request struct {
	// GET, POST and the like; empty means GET.
	Method string
	// http:// or https://, with host and port exactly as granted.
	URL string
	// The header host is set from the URL.
	Headers []Header
	Body    []byte
	// The largest body of the response, in bytes.
	Limit int
}

// A Response, whatever its status.
type Response struct {
	Status int
	// Names in lower case.
	Headers []Header
	Body    []byte
}

// Header returns the first value of a header, by its name in lower case; empty if there is none.
func (r *Response) Header(name string) string {
	for _, header := range r.Headers {
		if header.Name == name {
			return header.Value
		}
	}
	return ""
}

// Get sends a GET request, whose response may have a body of at most limit bytes.
func Get(url string, limit int) (*Response, error) {
	return Send(&Request{URL: url, Limit: limit})
}

// Send sends a request. A status such as 404 is a response, not an error. Errors are [tuffet.Error] values with
// the codes ErrNotGranted, ErrBadArgument, ErrTooLarge and ErrUnavailable.
func Send(request *Request) (*Response, error) {
	lowered, err := parse(request)
	if err != nil {
		return nil, err
	}
	answer, err := host.HTTPSend(lowered, request.Limit)
	if err != nil {
		return nil, err
	}
	response := &Response{Status: int(answer.Status), Body: answer.Body}
	for _, header := range answer.Headers {
		response.Headers = append(response.Headers, Header(header))
	}
	return response, nil
}

// parse splits the URL.
func parse(request *Request) (*host.Request, error) {
	lowered := &host.Request{Method: request.Method, URL: request.URL, Body: request.Body, PathAndQuery: "/"}
	if lowered.Method == "" {
		lowered.Method = "GET"
	}
	for _, header := range request.Headers {
		lowered.Headers = append(lowered.Headers, host.Field(header))
	}
	scheme, rest, _ := strings.Cut(request.URL, "://")
	switch scheme {
	case "http":
	case "https":
		lowered.TLS = true
	default:
		return nil, invalid("%q does not begin with http:// or https://", request.URL)
	}
	rest, _, _ = strings.Cut(rest, "#")
	lowered.Authority = rest
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		lowered.Authority, lowered.PathAndQuery = rest[:end], rest[end:]
	}
	if lowered.Authority == "" || lowered.PathAndQuery[0] != '/' {
		return nil, invalid("%q is not http://HOST/PATH", request.URL)
	}
	return lowered, nil
}

func invalid(format string, arguments ...any) error {
	return &host.Error{Code: host.BadArgument, Message: fmt.Sprintf(format, arguments...)}
}
