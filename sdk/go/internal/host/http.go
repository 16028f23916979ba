package host

// A Request of the package http. Scheme, Authority and Path are the parts of URL.
type Request struct {
	Method, URL             string
	TLS                     bool
	Authority, PathAndQuery string
	Headers                 []Field
	Body                    []byte
}

// A Response of the package http.
type Response struct {
	Status  uint16
	Headers []Field
	Body    []byte
}
