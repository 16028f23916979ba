package k6tftp

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/grafana/sobek"
	"go.k6.io/k6/js/common"
	"go.k6.io/k6/lib"

	"tuffet.invalid/k6/internal/tftp"
)

// client is what scripts hold: a server and the settings of its transfers.
type client struct {
	*instance
	address  string
	server   netip.AddrPort
	settings settings
	tftp     tftp.Client
}

// job is one call of a script.
type job struct {
	operation string
	// What the operation counts as a success, unless the script says otherwise.
	usual    []tftp.Outcome
	settings *settings
	state    *lib.State
	run      func(context.Context, *tftp.Request) *tftp.Result
}

func newClient(i *instance, options sobek.Value) (*client, error) {
	if common.IsNullish(options) {
		return nil, errors.New("new Client(options): options are missing, such as { address: '127.0.0.1:69' }")
	}
	c := &client{instance: i, settings: defaultSettings()}
	if err := c.configure(options); err != nil {
		return nil, fmt.Errorf("new Client(options): %w", err)
	}
	return c, nil
}

// get is `client.get(name, options)`.
func (c *client) get(call sobek.FunctionCall) sobek.Value {
	return c.transfer(call, 1, &job{
		operation: "get", usual: []tftp.Outcome{tftp.Completed}, run: c.tftp.Get,
	})
}

// probe is `client.probe(name, options)`.
func (c *client) probe(call sobek.FunctionCall) sobek.Value {
	return c.transfer(call, 1, &job{
		operation: "probe", usual: []tftp.Outcome{tftp.Probed},
		run: func(ctx context.Context, request *tftp.Request) *tftp.Result {
			request.Tsize = true
			return c.tftp.Probe(ctx, request)
		},
	})
}

// put is `client.put(name, data or size, options)`.
func (c *client) put(call sobek.FunctionCall) sobek.Value {
	source, err := sourceOf(call.Argument(1))
	if err != nil {
		common.Throw(c.vu.Runtime(), fmt.Errorf("client.put(name, data): %w", err))
	}
	return c.transfer(call, 2, &job{
		operation: "put", usual: []tftp.Outcome{tftp.Completed},
		run: func(ctx context.Context, request *tftp.Request) *tftp.Result {
			return c.tftp.Put(ctx, request, source)
		},
	})
}

// transfer makes one, measures it and tells it to the script. Only mistakes of the script are exceptions; how a
// transfer ended is a result.
func (c *client) transfer(call sobek.FunctionCall, options int, j *job) sobek.Value {
	runtime := c.vu.Runtime()
	result, err := c.try(call, options, j)
	if err != nil {
		common.Throw(runtime, fmt.Errorf("client.%s(): %w", j.operation, err))
	}
	c.metrics.push(c.vu.Context(), j, result)
	value, err := toJS(runtime, result)
	if err != nil {
		common.Throw(runtime, err)
	}
	return value
}

func (c *client) try(call sobek.FunctionCall, options int, j *job) (*tftp.Result, error) {
	j.state = c.vu.State()
	if j.state == nil {
		return nil, common.NewInitContextError("transfers are not possible in the init context, only in functions " +
			"that k6 calls, such as the default function")
	}
	name, err := nameOf(call.Argument(0))
	if err != nil {
		return nil, err
	}
	s := c.settings
	if argument := call.Argument(options); !common.IsNullish(argument) {
		if err := s.merge(c.vu.Runtime(), argument); err != nil {
			return nil, err
		}
	}
	j.settings = &s
	if err := c.resolve(j.state); err != nil {
		return nil, err
	}
	request := s.request
	request.Name = name
	request.Server = c.server
	c.tftp.Local = s.localAddress(j.state)
	return j.run(c.vu.Context(), &request), nil
}

func nameOf(value sobek.Value) (string, error) {
	name, ok := value.Export().(string)
	switch {
	case !ok || name == "":
		return "", errors.New("the name of the file is missing")
	case strings.ContainsRune(name, 0):
		return "", errors.New("the name of the file holds a NUL, which ends it on the wire")
	case len(name) > tftp.MaxRequest/2:
		return "", fmt.Errorf("the name of the file has %d bytes; %d are possible beside the options (RFC 2347)",
			len(name), tftp.MaxRequest/2)
	}
	return name, nil
}

// sourceOf takes what is to be written: a string, bytes, or how many bytes are to be made up.
func sourceOf(value sobek.Value) (tftp.Source, error) {
	if common.IsNullish(value) {
		return tftp.Source{}, errors.New("the data are missing: a string, an ArrayBuffer, or a number of bytes to make up")
	}
	exported := value.Export()
	switch exported.(type) {
	case int64, float64:
		size, err := integer(value, 0, maxSize)
		if err != nil {
			return tftp.Source{}, fmt.Errorf("the number of bytes: %w", err)
		}
		return tftp.Made(size), nil
	}
	bytes, err := common.ToBytes(exported)
	if err != nil {
		return tftp.Source{}, errors.New("the data must be a string, an ArrayBuffer, a Uint8Array, or a number of bytes")
	}
	return tftp.Bytes(bytes), nil
}
