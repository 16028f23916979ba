// Package fileexporter appends what a collector receives to a file: a line of OTLP JSON for each batch, for
// tests to read.
package fileexporter

import (
	"context"
	"errors"
	"os"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

type config struct {
	Path string `mapstructure:"path"`
}

func (c *config) Validate() error {
	if c.Path == "" {
		return errors.New("path is missing")
	}
	return nil
}

// The signals write to one file, a line at a time.
var lock sync.Mutex

type file struct{ path string }

func (file) Start(context.Context, component.Host) error { return nil }
func (file) Shutdown(context.Context) error              { return nil }
func (file) Capabilities() consumer.Capabilities         { return consumer.Capabilities{} }

func (f file) write(line []byte, err error) error {
	if err != nil {
		return err
	}
	lock.Lock()
	defer lock.Unlock()
	out, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(append(line, '\n'))
	return errors.Join(err, out.Close())
}

func (f file) ConsumeTraces(_ context.Context, traces ptrace.Traces) error {
	return f.write((&ptrace.JSONMarshaler{}).MarshalTraces(traces))
}

func (f file) ConsumeMetrics(_ context.Context, metrics pmetric.Metrics) error {
	return f.write((&pmetric.JSONMarshaler{}).MarshalMetrics(metrics))
}

func (f file) ConsumeLogs(_ context.Context, logs plog.Logs) error {
	return f.write((&plog.JSONMarshaler{}).MarshalLogs(logs))
}

// NewFactory makes the exporter `file`.
func NewFactory() exporter.Factory {
	open := func(cfg component.Config) file { return file{cfg.(*config).Path} }
	return exporter.NewFactory(
		component.MustNewType("file"),
		func() component.Config { return &config{} },
		exporter.WithTraces(func(_ context.Context, _ exporter.Settings, c component.Config) (exporter.Traces, error) {
			return open(c), nil
		}, component.StabilityLevelDevelopment),
		exporter.WithMetrics(func(_ context.Context, _ exporter.Settings, c component.Config) (exporter.Metrics, error) {
			return open(c), nil
		}, component.StabilityLevelDevelopment),
		exporter.WithLogs(func(_ context.Context, _ exporter.Settings, c component.Config) (exporter.Logs, error) {
			return open(c), nil
		}, component.StabilityLevelDevelopment),
	)
}
