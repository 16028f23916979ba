package k6tftp

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/lib/types"

	"tuffet.invalid/k6/internal/tftp"
)

// settings are the options of a client or of one call.
type settings struct {
	request tftp.Request
	// The outcomes that are no failure; nil: those that the operation is for.
	expect []tftp.Outcome
	tags   map[string]string
	local  *types.IPPool
}

func defaultSettings() settings {
	return settings{request: tftp.Request{Timeout: time.Second, Retries: 5, WantSize: -1}}
}

// The options of a client; of a call, all but those of clientOnly.
var (
	clientOnly  = []string{"address", "reusePort", "gro"}
	callOptions = []string{
		"blksize", "windowsize", "tsize", "timeoutOption", "timeout", "retries", "rollover", "localAddress", "tags", "expect",
		"size", "sha256", "abort",
	}
)

// configure takes the options of `new Client(options)`.
func (c *client) configure(options sobek.Value) error {
	runtime := c.vu.Runtime()
	err := eachOption(runtime, options, func(name string, value sobek.Value) (err error) {
		switch name {
		case "address":
			if c.address, err = text(value); err == nil {
				_, _, err = splitAddress(c.address)
			}
		case "reusePort":
			c.tftp.ReusePort, err = boolean(value)
		case "gro":
			c.tftp.Merge, err = boolean(value)
		default:
			return c.settings.set(runtime, name, value, slices.Concat(clientOnly, callOptions))
		}
		return err
	})
	if err == nil && c.address == "" {
		err = errors.New("address is missing, such as '127.0.0.1:69'")
	}
	return err
}

// merge takes the options of a call, which count before those of the client. It changes nothing that s shares with
// the client.
func (s *settings) merge(runtime *sobek.Runtime, options sobek.Value) error {
	return eachOption(runtime, options, func(name string, value sobek.Value) error {
		if slices.Contains(clientOnly, name) {
			return fmt.Errorf("%s is an option of the client, not of a call", name)
		}
		return s.set(runtime, name, value, callOptions)
	})
}

func eachOption(runtime *sobek.Runtime, options sobek.Value, take func(string, sobek.Value) error) error {
	object, ok := options.(*sobek.Object)
	if !ok {
		return fmt.Errorf("options must be an object, not %s", options)
	}
	for _, name := range object.Keys() {
		value := object.Get(name)
		if value == nil || sobek.IsUndefined(value) {
			continue // as if it were not there, so that scripts can leave an option open
		}
		if err := take(name, value); err != nil {
			return err
		}
	}
	return nil
}

func (s *settings) set(runtime *sobek.Runtime, name string, value sobek.Value, known []string) error {
	err := s.take(runtime, name, value)
	if errors.Is(err, errUnknown) {
		return fmt.Errorf("unknown option %q; there are %s", name, strings.Join(known, ", "))
	}
	if err != nil {
		return fmt.Errorf("option %s: %w", name, err)
	}
	return nil
}

var errUnknown = errors.New("unknown option")

func (s *settings) take(runtime *sobek.Runtime, name string, value sobek.Value) (err error) {
	r := &s.request
	switch name {
	case "blksize":
		r.Blksize, err = number(value, 8, 65464)
	case "windowsize":
		r.Windowsize, err = number(value, 1, 65535)
	case "timeoutOption":
		r.TimeoutOption, err = number(value, 1, 255)
	case "tsize":
		r.Tsize, err = boolean(value)
	case "timeout":
		r.Timeout, err = duration(value, time.Millisecond, 10*time.Minute)
	case "retries":
		r.Retries, err = number(value, 0, 1000)
	case "rollover":
		r.Rollover, err = number(value, 0, 1)
	case "size":
		r.WantSize, err = integer(value, 0, maxSize)
	case "sha256":
		r.Hash, r.WantSHA256, err = hashOf(value)
	case "abort":
		r.Abort, err = abortOf(runtime, value)
	case "expect":
		s.expect, err = outcomes(runtime, value)
	case "tags":
		err = s.takeTags(value)
	case "localAddress":
		s.local, err = pool(value)
	default:
		err = errUnknown
	}
	return err
}

// takeTags adds the tags of a call to those of the client.
func (s *settings) takeTags(value sobek.Value) error {
	object, ok := value.(*sobek.Object)
	if !ok {
		return fmt.Errorf("must be an object, not %s", value)
	}
	tags := maps.Clone(s.tags)
	if tags == nil {
		tags = make(map[string]string)
	}
	for _, name := range object.Keys() {
		if name == "operation" || name == "outcome" {
			return fmt.Errorf("%s is set by each transfer itself", name)
		}
		tags[name] = object.Get(name).String()
	}
	s.tags = tags
	return nil
}
