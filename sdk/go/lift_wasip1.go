package tuffet

import "tuffet/internal/abi"

func liftRequest(its *abi.Request) Request {
	request := Request{
		ID:        its.ID.String(),
		Listener:  its.Listener.String(),
		Operation: Operation(its.Operation),
		Mode:      Mode(its.Mode),
		Requested: its.Requested.String(),
		Path:      its.Path.String(),
		Client: Client{
			Address: its.Client.Address.String(), Port: its.Client.Port, Class: its.Client.Class.String(),
		},
		Options:    abi.Lift(its.Options, liftPair),
		UnixMS:     its.UnixMS,
		Labels:     abi.Lift(its.Labels, liftLabel),
		Attributes: abi.Lift(its.Attributes, liftPair),
	}
	if macs := its.Client.MACs.Get(); macs != nil {
		request.Client.MACs = &MACAddresses{abi.Lift(macs.Network, liftMAC), abi.Lift(macs.Claimed, liftMAC)}
	}
	if lease := its.Client.Lease.Get(); lease != nil {
		request.Client.Lease = &Lease{
			MAC:          liftText(&lease.MAC),
			ClientID:     liftText(&lease.ClientID),
			UUID:         liftText(&lease.UUID),
			Hostname:     liftText(&lease.Hostname),
			VendorClass:  liftText(&lease.VendorClass),
			Architecture: liftNumber(&lease.Architecture),
			Expires:      liftNumber(&lease.Expires),
			Age:          lease.Age,
		}
	}
	if arrival := its.Arrival.Get(); arrival != nil {
		request.Arrival = &Arrival{
			liftText(&arrival.Address), liftText(&arrival.InterfaceName), liftNumber(&arrival.VLAN),
		}
	}
	return request
}

func liftUpload(its *abi.Upload) Upload {
	return Upload{
		its.Root.String(), its.Path.String(), its.Size, its.SHA256.String(), abi.Lift(its.Attributes, liftPair),
	}
}

func liftEvent(its *abi.Event) Event {
	event := Event{Sequence: its.Sequence, UnixMS: its.UnixMS}
	payload := &its.Kind.Payload
	switch its.Kind.Tag {
	case 0:
		started := liftDecided(abi.As[abi.DecidedRequest](payload))
		event.Started = &started
	case 1:
		progress := abi.As[abi.Progress](payload)
		event.Progressed = &Progress{progress.RequestID.String(), progress.Transferred, liftNumber(&progress.Size)}
	case 2:
		event.Finished = liftSummary(abi.As[abi.Summary](payload))
	default:
		other := abi.As[abi.OtherEvent](payload)
		event.Other = &OtherEvent{other.Kind.String(), liftText(&other.RequestID), abi.Lift(other.Attributes, liftPair)}
	}
	return event
}

func liftDecided(its *abi.DecidedRequest) DecidedRequest {
	decided := DecidedRequest{
		Request:    liftRequest(&its.Request),
		DecidedBy:  liftText(&its.DecidedBy),
		Size:       liftNumber(&its.Size),
		DecisionUS: liftNumber(&its.DecisionUS),
	}
	switch resolved := its.Resolved.Get(); {
	case resolved == nil:
	case resolved.Tag == 0:
		decided.Resolved = liftTarget(abi.As[abi.Target](&resolved.Payload))
	default:
		decided.Resolved = ContentName(liftText(abi.As[abi.Option[abi.Text]](&resolved.Payload)))
	}
	return decided
}

func liftSummary(its *abi.Summary) *Summary {
	return &Summary{
		DecidedRequest:  liftDecided(&its.Decided),
		Decision:        Decision(its.Decision.String()),
		Outcome:         Outcome(its.Outcome.String()),
		Detail:          liftText(&its.Detail),
		PluginCalls:     its.PluginCalls,
		Tried:           abi.Lift(its.Tried, liftTarget),
		TriedBy:         liftText(&its.TriedBy),
		Blksize:         its.Blksize,
		Windowsize:      its.Windowsize,
		TimeoutOption:   liftNumber(&its.TimeoutOption),
		Tsize:           liftNumber(&its.Tsize),
		Transferred:     its.Transferred,
		Blocks:          its.Blocks,
		Retransmissions: its.Retransmissions,
		Duplicates:      its.Duplicates,
		Timeouts:        its.Timeouts,
		RTTUS:           liftNumber(&its.RTTUS),
		FirstBlockUS:    liftNumber(&its.FirstBlockUS),
		DurationUS:      its.DurationUS,
		Attributes:      abi.Lift(its.Attributes, liftPair),
	}
}

func liftPair(its *abi.Pair) Pair { return Pair{its.Name.String(), its.Value.String()} }

func liftLabel(its *abi.Label) RequestLabel {
	return RequestLabel{its.Plugin.String(), its.Text.String()}
}

func liftMAC(its *abi.MAC) MAC { return MAC{its.Address.String(), MACSource(its.Source.String())} }

func liftTarget(its *abi.Target) Target { return Target{its.Root.String(), its.Path.String()} }

// liftText copies a text; empty for none.
func liftText(its *abi.Option[abi.Text]) string {
	if text := its.Get(); text != nil {
		return text.String()
	}
	return ""
}

// liftNumber copies a number; nil for none.
func liftNumber[T any](its *abi.Option[T]) *T {
	if number := its.Get(); number != nil {
		copied := *number
		return &copied
	}
	return nil
}
