package main

import "tuffet"

// Resolve answers firmware/latest.bin with the current version; everything else is left to others.
func (p *policy) Resolve(r *tuffet.Request) (tuffet.Resolution, error) {
	if r.Operation != tuffet.Read || r.Path != "firmware/latest.bin" {
		return tuffet.Abstain(), nil
	}
	// Several candidates, of which the server serves the first that exists: tuffet.Serve(tuffet.File(…), tuffet.Content(…))
	return tuffet.File(p.Root, p.current), nil
}
