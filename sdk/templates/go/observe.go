package main

import (
	"errors"

	"tuffet"
	"tuffet/log"
	"tuffet/sinks"
)

// Observe sends a line for each file that was served.
func (p *policy) Observe(events []tuffet.Event) {
	for _, event := range events {
		end := event.Finished
		if end == nil || end.Outcome != tuffet.Served {
			continue
		}
		file, isFile := end.Resolved.(tuffet.Target)
		line := map[string]any{
			"client":  end.Request.Client.Address,
			"path":    end.Request.Path,
			"bytes":   end.Transferred,
			"current": isFile && file.Path == p.current,
		}
		if err := sinks.Emit(p.Sink, line); errors.Is(err, tuffet.ErrFull) {
			log.Warn("a download was not reported: the sink is full")
		} else if err != nil {
			log.Error("a download was not reported", "error", err)
		}
	}
}
