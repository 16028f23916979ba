// Package k6tftp is the k6 extension k6/x/tftp: TFTP clients for load tests. See README.md for its use.
package k6tftp

import (
	"errors"

	"github.com/grafana/sobek"
	"go.k6.io/k6/js/common"
	"go.k6.io/k6/js/modules"
)

func init() {
	modules.Register("k6/x/tftp", new(Module))
}

// Module makes an instance of itself for each virtual user.
type Module struct{}

// instance is the module as one virtual user sees it.
type instance struct {
	vu      modules.VU
	metrics *tftpMetrics
}

var (
	_ modules.Module   = new(Module)
	_ modules.Instance = new(instance)
)

// NewModuleInstance makes the instance of a virtual user.
func (*Module) NewModuleInstance(vu modules.VU) modules.Instance {
	env := vu.InitEnv()
	if env == nil {
		common.Throw(vu.Runtime(), errors.New("k6/x/tftp can only be imported in the init context"))
	}
	registered, err := registerMetrics(env.Registry)
	if err != nil {
		common.Throw(vu.Runtime(), err)
	}
	return &instance{vu: vu, metrics: registered}
}

// Exports says what scripts import: `import tftp from 'k6/x/tftp'` or `import { Client } from 'k6/x/tftp'`.
func (i *instance) Exports() modules.Exports {
	exports := i.vu.Runtime().NewObject()
	if err := exports.Set("Client", i.newClient); err != nil {
		common.Throw(i.vu.Runtime(), err)
	}
	return modules.Exports{Default: exports, Named: map[string]any{"Client": i.newClient}}
}

// newClient is `new Client(options)`.
func (i *instance) newClient(call sobek.ConstructorCall) *sobek.Object {
	runtime := i.vu.Runtime()
	c, err := newClient(i, call.Argument(0))
	if err == nil {
		err = errors.Join(
			call.This.Set("get", c.get), call.This.Set("put", c.put), call.This.Set("probe", c.probe))
	}
	if err != nil {
		common.Throw(runtime, err)
	}
	return nil
}
