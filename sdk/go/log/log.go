// Package log writes lines to the server's log. Every plugin may; the server adds the plugin's name and the request,
// and bounds the lines: 32 for each call, 1024 bytes each.
package log

import (
	"fmt"

	"tuffet/internal/host"
)

// Trace writes a line with fields: names and values in turn.
func Trace(message string, fields ...any) { write(0, message, fields) }

// Debug writes a line with fields: names and values in turn.
func Debug(message string, fields ...any) { write(1, message, fields) }

// Info writes a line with fields: names and values in turn.
func Info(message string, fields ...any) { write(2, message, fields) }

// Warn writes a line with fields: names and values in turn.
func Warn(message string, fields ...any) { write(3, message, fields) }

// Error writes a line with fields: names and values in turn.
func Error(message string, fields ...any) { write(4, message, fields) }

func write(level uint8, message string, fields []any) {
	pairs := make([]host.Field, 0, (len(fields)+1)/2)
	for len(fields) > 0 {
		field := host.Field{Name: fmt.Sprint(fields[0])}
		if len(fields) == 1 {
			field = host.Field{Name: "value", Value: fmt.Sprint(fields[0])}
			fields = fields[:0]
		} else {
			field.Value = fmt.Sprint(fields[1])
			fields = fields[2:]
		}
		pairs = append(pairs, field)
	}
	host.Log(level, message, pairs)
}
