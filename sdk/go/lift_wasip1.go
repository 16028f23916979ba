package tuffet

import "tuffet/internal/host"

// The sizes of records of sdk/wit/v0.2/policy.wit in memory.
const (
	sizeOfEvent = 288
	sizeOfMAC   = 12
	sizeOfPair  = 16
)

func liftRequest(p host.Place) Request {
	client := p.At(36)
	return Request{
		ID:        p.Text(),
		Listener:  p.At(8).Text(),
		Operation: Operation(p.At(16).U8()),
		Mode:      Mode(p.At(17).U8()),
		Requested: p.At(20).Text(),
		Path:      p.At(28).Text(),
		Client: Client{
			Address: client.Text(),
			Port:    client.At(8).U16(),
			MACs: liftList(client.At(12), sizeOfMAC, func(p host.Place) MAC {
				return MAC{p.Text(), MACSource(p.At(8).U8())}
			}),
			Class: client.At(20).Text(),
		},
		Options:    liftPairs(p.At(64)),
		Attributes: liftPairs(p.At(72)),
	}
}

func liftEvents(first host.Place, length int) []Event {
	events := make([]Event, length)
	for i := range events {
		p := first.At(uintptr(i) * sizeOfEvent)
		events[i].UnixMS = p.U64()
		what := p.At(16)
		switch p.At(8).U8() {
		case 0:
			events[i].Started = &Started{
				Request:    liftRequest(what),
				Resolved:   what.At(80).OptionText(),
				VerdictBy:  what.At(92).OptionText(),
				Size:       what.At(104).OptionU64(),
				DecisionUS: what.At(120).U64(),
			}
		case 1:
			events[i].Progressed = &Progressed{what.Text(), what.At(8).U64(), what.At(16).OptionU64()}
		default:
			events[i].Finished = liftFinished(what)
		}
	}
	return events
}

func liftFinished(p host.Place) *Finished {
	return &Finished{
		Request:         liftRequest(p),
		Outcome:         Outcome(p.At(80).U8()),
		Detail:          p.At(84).OptionText(),
		Decision:        Decision(p.At(96).U8()),
		VerdictBy:       p.At(100).OptionText(),
		PluginCalls:     p.At(112).U32(),
		Resolved:        p.At(116).OptionText(),
		Size:            p.At(128).OptionU64(),
		Blksize:         p.At(144).U16(),
		Windowsize:      p.At(146).U16(),
		TimeoutOption:   p.At(148).OptionU8(),
		Tsize:           p.At(152).OptionU64(),
		Bytes:           p.At(168).U64(),
		Blocks:          p.At(176).U64(),
		Retransmissions: p.At(184).U64(),
		Duplicates:      p.At(192).U64(),
		Timeouts:        p.At(200).U64(),
		RTTUS:           p.At(208).OptionU64(),
		DecisionUS:      p.At(224).OptionU64(),
		FirstBlockUS:    p.At(240).OptionU64(),
		DurationUS:      p.At(256).U64(),
		Attributes:      liftPairs(p.At(264)),
	}
}

func liftPairs(p host.Place) []Pair {
	return liftList(p, sizeOfPair, func(p host.Place) Pair { return Pair{p.Text(), p.At(8).Text()} })
}

func liftList[T any](p host.Place, size uintptr, lift func(host.Place) T) []T {
	first, length := p.List()
	if length == 0 {
		return nil
	}
	list := make([]T, length)
	for i := range list {
		list[i] = lift(first.At(uintptr(i) * size))
	}
	return list
}
