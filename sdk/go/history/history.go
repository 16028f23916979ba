// Package history has what the client of a request asked for before. It needs the grant client-history. Errors are
// [tuffet.Error] values.
package history

import (
	"time"

	"tuffet"
	"tuffet/internal/host"
)

// A PastRequest has ended.
type PastRequest struct {
	Operation tuffet.Operation
	// The normalised path, or its first 255 bytes.
	Path     string
	Outcome  tuffet.Outcome
	EndedAgo time.Duration
}

// Recent returns the last requests from the client's address, newest first, at most 16. The present one is not among them.
// In Configure, Render, Begin, Part and Observe there is no client: ErrWrongPhase.
func Recent() ([]PastRequest, error) {
	past, err := host.Recent()
	requests := make([]PastRequest, len(past))
	for i, its := range past {
		requests[i] = PastRequest{
			tuffet.Operation(its.Operation), its.Path, tuffet.Outcome(its.Outcome),
			time.Duration(min(its.EndedMSAgo, 1<<43)) * time.Millisecond, // Not beyond the range of a Duration.
		}
	}
	return requests, err
}
