package k6tftp

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"go.k6.io/k6/lib"
	"go.k6.io/k6/lib/netext"
	"go.k6.io/k6/metrics"

	"tuffet.invalid/k6/internal/tftp"
)

// tftpMetrics are what a transfer adds to.
type tftpMetrics struct {
	duration, firstBlock *metrics.Metric
	received, sent       *metrics.Metric
	retransmissions      *metrics.Metric
	transfers, failed    *metrics.Metric
}

func registerMetrics(registry *metrics.Registry) (*tftpMetrics, error) {
	var failed []error
	register := func(name string, kind metrics.MetricType, of ...metrics.ValueType) *metrics.Metric {
		metric, err := registry.NewMetric(name, kind, of...)
		failed = append(failed, err)
		return metric
	}
	m := &tftpMetrics{
		duration:        register("tftp_transfer_duration", metrics.Trend, metrics.Time),
		firstBlock:      register("tftp_time_to_first_block", metrics.Trend, metrics.Time),
		received:        register("tftp_bytes_received", metrics.Counter, metrics.Data),
		sent:            register("tftp_bytes_sent", metrics.Counter, metrics.Data),
		retransmissions: register("tftp_retransmissions", metrics.Counter),
		transfers:       register("tftp_transfers", metrics.Counter),
		failed:          register("tftp_transfer_failed", metrics.Rate),
	}
	return m, errors.Join(failed...)
}

// push adds one transfer. One that k6 itself cut off at the end of a test says nothing of the server, and is left
// out.
func (m *tftpMetrics) push(ctx context.Context, j *job, result *tftp.Result) {
	countWire(j.state, result)
	if result.Outcome == tftp.Interrupted {
		return
	}
	now := result.Start.Add(result.Duration)
	current := j.state.Tags.GetCurrentValues()
	tags := current.Tags.With("operation", j.operation).With("outcome", string(result.Outcome))
	for name, value := range j.settings.tags {
		tags = tags.With(name, value)
	}
	samples := make([]metrics.Sample, 0, 6) // all there can be
	add := func(metric *metrics.Metric, value float64) {
		samples = append(samples, metrics.Sample{
			TimeSeries: metrics.TimeSeries{Metric: metric, Tags: tags},
			Time:       now, Value: value, Metadata: current.Metadata,
		})
	}
	add(m.transfers, 1)
	add(m.duration, metrics.D(result.Duration))
	add(m.failed, metrics.B(j.failed(result.Outcome)))
	if result.TimeToFirstBlock >= 0 {
		add(m.firstBlock, metrics.D(result.TimeToFirstBlock))
	}
	if result.Bytes > 0 {
		if j.operation == "put" {
			add(m.sent, float64(result.Bytes))
		} else {
			add(m.received, float64(result.Bytes))
		}
	}
	// A 0 too: a report should show that there were none.
	add(m.retransmissions, float64(result.Retransmissions))
	metrics.PushIfNotDone(ctx, j.state.Samples, metrics.ConnectedSamples{Samples: samples, Tags: tags, Time: now})
}

// failed says whether an outcome is none that was wanted.
func (j *job) failed(outcome tftp.Outcome) bool {
	if j.settings.expect != nil {
		return !slices.Contains(j.settings.expect, outcome)
	}
	if outcome == tftp.Aborted {
		return false // only happens where the script wants it
	}
	return !slices.Contains(j.usual, outcome)
}

// countWire adds to k6's own data_sent and data_received: to what the dialer of the virtual user counted, which k6
// reports after each iteration.
func countWire(state *lib.State, result *tftp.Result) {
	if dialer, ok := state.Dialer.(*netext.Dialer); ok {
		atomic.AddInt64(&dialer.BytesWritten, result.WireSent)
		atomic.AddInt64(&dialer.BytesRead, result.WireReceived)
	}
}
