package main

import "tuffet"

// AcceptUpload denies replacing the current version, and empty files; everything else is left to others.
func (p *policy) AcceptUpload(_ *tuffet.Request, u *tuffet.Upload) (tuffet.Acceptance, error) {
	switch {
	case u.Path == p.current:
		return tuffet.Deny(tuffet.AccessViolation, "this version is in use", ""), nil
	case u.Size == 0:
		return tuffet.Deny(tuffet.AccessViolation, "the file is empty", ""), nil
	}
	return tuffet.Abstain(), nil
}
