// Package sinks has outputs that the configuration names and the server delivers: sinks/NAME grants one.
// Errors are [tuffet.Error] values.
package sinks

import (
	"bytes"
	"encoding/json"

	"tuffet/internal/host"
)

// Emit queues a value as one line of JSON, at most 32 KiB. That it was queued does not mean that it arrived.
func Emit(sink string, value any) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	return EmitLine(sink, string(bytes.TrimSuffix(line.Bytes(), []byte("\n"))))
}

// EmitLine queues a value that is JSON already.
func EmitLine(sink, line string) error { return host.SinkEmit(sink, line) }
