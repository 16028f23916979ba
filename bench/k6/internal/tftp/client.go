package tftp

import (
	"context"
	"net/netip"
	"time"
)

// Client makes transfers, one after another. It keeps buffers between them, and its port where it is told to.
type Client struct {
	// The address that it sends from; the zero value leaves that to the kernel.
	Local netip.Addr
	// Whether all transfers come from one port, as with some boot ROMs. Otherwise each has one of its own, as RFC 1350
	// section 4 wants it.
	ReusePort bool
	// Whether the kernel may hand over datagrams that follow each other in one piece (UDP_GRO). No effect where there
	// is no such thing.
	Merge bool

	kept   *socket
	source portKey
	buffer []byte
	out    []byte
}

// A kept port serves one family and one local address.
type portKey struct {
	local netip.Addr
	ipv4  bool
}

// Get reads a file.
func (c *Client) Get(ctx context.Context, request *Request) *Result {
	return c.run(ctx, request, opRead, func(t *transfer) { t.read(false) })
}

// Probe asks for a file and ends it at the first answer, to learn its size, as UEFI firmware does: with ERROR 8,
// unless the request says otherwise.
func (c *Client) Probe(ctx context.Context, request *Request) *Result {
	if request.Abort == nil {
		probe := *request
		probe.Abort = &Abort{Code: CodeOptions, Message: "aborted: only the size was wanted"}
		request = &probe
	}
	return c.run(ctx, request, opRead, func(t *transfer) { t.read(true) })
}

// Put writes a file.
func (c *Client) Put(ctx context.Context, request *Request, source Source) *Result {
	return c.run(ctx, request, opWrite, func(t *transfer) { t.write(source) })
}

// Close gives the kept port back.
func (c *Client) Close() {
	if c.kept != nil {
		c.kept.close()
		c.kept = nil
	}
}

func (c *Client) run(ctx context.Context, request *Request, opcode uint16, work func(*transfer)) *Result {
	result := &Result{
		Options:          Options{Blksize: defaultBlksize, Windowsize: 1},
		Size:             -1,
		Start:            time.Now(),
		TimeToFirstBlock: -1,
	}
	t := &transfer{
		ctx: ctx, request: request, result: result, opcode: opcode,
		blocks: newNumbering(request.Rollover), out: c.out,
		peer: request.Server, deadline: result.Start.Add(request.Timeout),
	}
	socket, err := c.socket(request.Server)
	if err != nil {
		t.end(LocalError, &Error{Code: -1, Message: err.Error()})
		return result
	}
	t.socket = socket
	if err := socket.begin(t.deadline); err != nil {
		t.end(LocalError, &Error{Code: -1, Message: err.Error()})
	}
	// The end of the context wakes a read that waits.
	stop := context.AfterFunc(ctx, func() { _ = socket.conn.SetReadDeadline(time.Unix(1, 0)) })
	work(t)
	woken := !stop()
	result.Duration = time.Since(result.Start)
	c.out = t.out
	if !c.ReusePort || woken || result.Outcome == LocalError {
		socket.close()
		c.kept = nil
	}
	return result
}

// socket opens a port, or takes the kept one.
func (c *Client) socket(server netip.AddrPort) (*socket, error) {
	if c.buffer == nil {
		c.buffer = make([]byte, receiveSize)
	}
	key := portKey{local: c.Local, ipv4: server.Addr().Is4()}
	if c.kept != nil {
		if c.source == key {
			c.kept.discard()
			return c.kept, nil
		}
		c.Close()
	}
	opened, err := openSocket(c.Local, server, c.Merge, c.buffer)
	if err == nil && c.ReusePort {
		c.kept, c.source = opened, key
	}
	return opened, err
}
