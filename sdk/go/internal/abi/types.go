// Package abi has the types of sdk/wit/policy.wit as the canonical ABI lays them out in memory: a record is a struct with
// its fields in order, a variant one with the number of its case and room for the payload of the largest. That room is made of
// words, since Go does not copy what is between the fields of a struct, where another payload may have its bytes. Go aligns
// fields as the canonical ABI does; layout_test.go compares all of it with the WIT.
package abi

import (
	"structs"
	"unsafe"
)

// A Text is a string or a list of bytes.
type Text struct {
	_          structs.HostLayout
	at, length uint32
}

// A List of T.
type List[T any] struct {
	_          structs.HostLayout
	at, length uint32
}

// An Option of T.
type Option[T any] struct {
	_     structs.HostLayout
	has   bool
	value T
}

// A Result of T. The error takes the place of the value; neither needs a higher alignment than T has.
type Result[T any] struct {
	_     structs.HostLayout
	Tag   uint8
	Value T
}

// A Variant is the number of a case, and room for the payload of the largest: its size in words of its alignment.
type Variant[Room any] struct {
	_       structs.HostLayout
	Tag     uint8
	Payload Room
}

// A Pair is tuple<string, string>.
type Pair struct {
	_           structs.HostLayout
	Name, Value Text
}

// The records and variants of the interface types.
type (
	MAC struct {
		_               structs.HostLayout
		Address, Source Text
	}
	MACAddresses struct {
		_                structs.HostLayout
		Network, Claimed List[MAC]
	}
	Lease struct {
		_                                          structs.HostLayout
		MAC, ClientID, UUID, Hostname, VendorClass Option[Text]
		Architecture                               Option[uint16]
		Expires                                    Option[uint64]
		Age                                        uint64
	}
	Arrival struct {
		_                      structs.HostLayout
		Address, InterfaceName Option[Text]
		VLAN                   Option[uint16]
	}
	Client struct {
		_       structs.HostLayout
		Address Text
		Port    uint16
		MACs    Option[MACAddresses]
		Lease   Option[Lease]
		Class   Text
	}
	Request struct {
		_               structs.HostLayout
		ID, Listener    Text
		Operation, Mode uint8
		Requested, Path Text
		Client          Client
		Arrival         Option[Arrival]
		Options         List[Pair]
		UnixMS          uint64
		Labels          List[Label]
		Attributes      List[Pair]
	}
	Label struct {
		_            structs.HostLayout
		Plugin, Text Text
	}
	Denial struct {
		_               structs.HostLayout
		Code            uint8
		Message, Reason Text
	}
	Target struct {
		_          structs.HostLayout
		Root, Path Text
	}
	Resolved      Variant[[unsafe.Sizeof(Target{}) / 4]uint32]
	SessionValues struct {
		_                   structs.HostLayout
		Blksize, Windowsize Option[uint16]
		Timeout             Option[uint8]
	}
	Profile struct {
		_                           structs.HostLayout
		Ceilings, Floors, Overrides SessionValues
		MaxSize                     Option[uint64]
		Burst                       Option[uint16]
		Rate                        Option[uint64]
		RefuseOptions               List[Text]
		Attributes                  List[Pair]
	}
	Error struct {
		_             structs.HostLayout
		Code, Message Text
	}
)

// Those of the interfaces that a plugin exports.
type (
	Problem struct {
		_                structs.HostLayout
		Pointer, Message Text
	}
	Verdict         Variant[[unsafe.Sizeof(Profile{}) / 8]uint64]
	LabelledVerdict struct {
		_       structs.HostLayout
		Verdict Verdict
		Label   Option[Text]
	}
	Content struct {
		_          structs.HostLayout
		Name       Option[Text]
		Data       Text
		Attributes List[Pair]
	}
	Candidate Variant[[unsafe.Sizeof(Content{}) / 4]uint32]
	Selection struct {
		_          structs.HostLayout
		Candidates List[Candidate]
		ElseNext   bool
		Profile    Option[Profile]
	}
	Resolution         Variant[[unsafe.Sizeof(Selection{}) / 8]uint64]
	LabelledResolution struct {
		_          structs.HostLayout
		Resolution Resolution
		Label      Option[Text]
	}
	Rendering struct {
		_          structs.HostLayout
		Content    Content
		TTLSeconds Option[uint32]
	}
	Rendered     Variant[[unsafe.Sizeof(Rendering{}) / 4]uint32]
	LargeContent struct {
		_          structs.HostLayout
		Name       Option[Text]
		Size       uint64
		TTLSeconds Option[uint32]
		Attributes List[Pair]
	}
	Beginning Variant[[unsafe.Sizeof(LargeContent{}) / 8]uint64]
	MadePart  Variant[[unsafe.Sizeof(Denial{}) / 4]uint32]
	Upload    struct {
		_          structs.HostLayout
		Root, Path Text
		Size       uint64
		SHA256     Text
		Attributes List[Pair]
	}
	// UploadParams are the parameters of accept-upload, which are too many to be flat.
	UploadParams struct {
		_       structs.HostLayout
		Request Request
		Upload  Upload
	}
	Destination struct {
		_        structs.HostLayout
		Path     Text
		NextFree bool
	}
	Acceptance     Variant[[unsafe.Sizeof(Denial{}) / 4]uint32]
	DecidedRequest struct {
		_                structs.HostLayout
		Request          Request
		Resolved         Option[Resolved]
		DecidedBy        Option[Text]
		Size, DecisionUS Option[uint64]
	}
	Progress struct {
		_           structs.HostLayout
		RequestID   Text
		Transferred uint64
		Size        Option[uint64]
	}
	Summary struct {
		_                                     structs.HostLayout
		Decided                               DecidedRequest
		Decision, Outcome                     Text
		Detail                                Option[Text]
		PluginCalls                           uint32
		Tried                                 List[Target]
		TriedBy                               Option[Text]
		Blksize, Windowsize                   uint16
		TimeoutOption                         Option[uint8]
		Tsize                                 Option[uint64]
		Transferred, Blocks                   uint64
		Retransmissions, Duplicates, Timeouts uint64
		RTTUS, FirstBlockUS                   Option[uint64]
		DurationUS                            uint64
		Attributes                            List[Pair]
	}
	OtherEvent struct {
		_          structs.HostLayout
		Kind       Text
		RequestID  Option[Text]
		Attributes List[Pair]
	}
	EventKind Variant[[unsafe.Sizeof(Summary{}) / 8]uint64]
	Event     struct {
		_                structs.HostLayout
		Sequence, UnixMS uint64
		Kind             EventKind
	}
)

// Those of the interfaces that a plugin imports.
type (
	Entry struct {
		_        structs.HostLayout
		Value    Text
		Revision uint64
	}
	Listed struct {
		_     structs.HostLayout
		Key   Text
		Entry Entry
	}
	Metadata struct {
		_                    structs.HostLayout
		Size, ModifiedUnixMS uint64
		Version              Text
	}
	PastRequest struct {
		_             structs.HostLayout
		Operation     uint8
		Path, Outcome Text
		EndedMSAgo    uint64
	}
)
