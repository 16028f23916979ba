package k6tftp

import (
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/metrics"

	"tuffet.invalid/k6/internal/tftp"
)

// toJS makes the object that scripts get. Times are in milliseconds, as everywhere in k6.
func toJS(runtime *sobek.Runtime, result *tftp.Result) (sobek.Value, error) {
	options := filler{object: runtime.NewObject()}
	options.set("negotiated", result.Options.Negotiated)
	options.set("blksize", result.Options.Blksize)
	options.set("windowsize", result.Options.Windowsize)
	options.set("timeout", orNull(result.Options.Timeout > 0, result.Options.Timeout))

	object := filler{object: runtime.NewObject(), err: options.err}
	object.set("outcome", string(result.Outcome))
	object.set("bytes", result.Bytes)
	object.set("blocks", result.Blocks)
	object.set("size", orNull(result.Size >= 0, result.Size))
	object.set("retransmissions", result.Retransmissions)
	object.set("duplicates", result.Duplicates)
	object.set("gaps", result.Gaps)
	object.set("strays", result.Strays)
	object.set("timeouts", result.Timeouts)
	object.set("duration", metrics.D(result.Duration))
	object.set("timeToFirstBlock", orNull(result.TimeToFirstBlock >= 0, milliseconds(result.TimeToFirstBlock)))
	object.set("options", options.object)
	object.set("sha256", orNull(result.SHA256 != "", result.SHA256))
	object.set("error", sobek.Null())
	if result.Err != nil {
		failure := filler{object: runtime.NewObject(), err: object.err}
		failure.set("code", orNull(result.Err.Code >= 0, result.Err.Code))
		failure.set("message", result.Err.Message)
		object.err = failure.err
		object.set("error", failure.object)
	}
	return object.object, object.err
}

func milliseconds(d time.Duration) float64 { return metrics.D(d) }

func orNull(known bool, value any) any {
	if !known {
		return sobek.Null()
	}
	return value
}

// filler sets properties until one fails.
type filler struct {
	object *sobek.Object
	err    error
}

func (f *filler) set(name string, value any) {
	if f.err == nil {
		f.err = f.object.Set(name, value)
	}
}
