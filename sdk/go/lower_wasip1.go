package tuffet

import "tuffet/internal/abi"

func lowerProfile(its *Profile) abi.Profile {
	return abi.Profile{
		Ceilings:      lowerValues(its.Ceilings),
		Floors:        lowerValues(its.Floors),
		Overrides:     lowerValues(its.Overrides),
		MaxSize:       abi.Maybe(its.MaxSize),
		Burst:         abi.NotZero(its.Burst),
		Rate:          abi.NotZero(its.Rate),
		RefuseOptions: abi.PutList(its.RefuseOptions, abi.Put),
		Attributes: abi.PutList(its.Attributes, func(pair Pair) abi.Pair {
			return abi.Pair{Name: abi.Put(pair.Name), Value: abi.Put(pair.Value)}
		}),
	}
}

func lowerValues(its SessionValues) abi.SessionValues {
	return abi.SessionValues{
		Blksize: abi.NotZero(its.Blksize), Windowsize: abi.NotZero(its.Windowsize), Timeout: abi.NotZero(its.Timeout),
	}
}

func lowerSelection(its Selection) abi.Selection {
	lowered := abi.Selection{Candidates: abi.PutList(its.Candidates, lowerCandidate), ElseNext: its.elseNext}
	if its.profile != nil {
		lowered.Profile = abi.Some(lowerProfile(its.profile))
	}
	return lowered
}

func lowerCandidate(its Candidate) (lowered abi.Candidate) {
	switch its := its.(type) {
	case Target:
		*abi.As[abi.Target](&lowered.Payload) = abi.Target{Root: abi.Put(its.Root), Path: abi.Put(its.Path)}
	case Contents:
		lowered.Tag, *abi.As[abi.Content](&lowered.Payload) = 1, lowerContents(its)
	case Key:
		lowered.Tag, *abi.As[abi.Text](&lowered.Payload) = 2, abi.Put(string(its))
	default:
		noAnswer("Resolve", its)
	}
	return lowered
}

func lowerContents(its Contents) abi.Content {
	return abi.Content{Name: lowerName(its.name), Data: abi.PutBytes(its.Bytes)}
}

func lowerName(name *string) (lowered abi.Option[abi.Text]) {
	if name != nil {
		lowered = abi.Some(abi.Put(*name))
	}
	return lowered
}

func lowerDenial(its Denial) abi.Denial {
	return abi.Denial{Code: uint8(its.Code), Message: abi.Put(its.Message), Reason: abi.Put(its.Reason)}
}
