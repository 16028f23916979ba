package main

import "tuffet"

// Resolve answers firmware/latest.bin with the current version; everything else is left to others.
func (p *policy) Resolve(r *tuffet.Request) tuffet.Resolution {
	if r.Operation != tuffet.Read || r.Path != "firmware/latest.bin" {
		return tuffet.Abstain()
	}
	// The server serves the first that exists.
	return tuffet.Files(tuffet.Target{Root: p.Root, Path: p.current})
}
