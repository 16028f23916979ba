package main

import (
	"strings"

	"tuffet"
)

// Authorize denies other versions than the current one; everything else is left to others.
func (p *policy) Authorize(r *tuffet.Request) (tuffet.Verdict, error) {
	firmware := r.Operation == tuffet.Read && strings.HasPrefix(r.Path, "firmware/")
	if !firmware || r.Path == "firmware/latest.bin" || r.Path == p.current {
		return tuffet.Abstain(), nil
	}
	// The first text is sent to the client, the second is for the log.
	return tuffet.Deny(tuffet.AccessViolation, "take firmware/latest.bin", "not the current version"), nil
}
