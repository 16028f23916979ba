package tuffet

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"tuffet/internal/host"
)

// The exports, as the canonical ABI lowers those of sdk/wit/v0.2/policy.wit. Parameters are copied first, because their memory
// is used again.

// Where an answer is, and what it points to. The server has read both before the next call.
var (
	answer   [11]uint64
	answered any
)

//go:wasmexport tuffet:policy/lifecycle@0.2.0#configure
func exportConfigure(text unsafe.Pointer, length uint32) unsafe.Pointer {
	defer failed()
	host.Enter()
	settings := append([]byte{}, unsafe.Slice((*byte)(text), length)...)
	host.Leave()
	host.Settled()
	if registered.configurer == nil {
		panic("no plugin is registered: call tuffet.Register in an init function of package main")
	}
	problems := problemsOf(registered.configurer.Configure(settings))
	lowered := make([]uint64, 2*len(problems))
	place := host.PlaceOf(lowered)
	for i, problem := range problems {
		place.At(uintptr(16 * i)).PutText(problem.Pointer)
		place.At(uintptr(16*i + 8)).PutText(problem.Message)
	}
	p := begin(min(len(problems), 1), lowered, problems)
	p.At(4).PutU32(uint32(place))
	p.At(8).PutU32(uint32(len(problems)))
	return unsafe.Pointer(&answer)
}

//go:wasmexport tuffet:policy/authorize@0.2.0#authorize
func exportAuthorize(params unsafe.Pointer) unsafe.Pointer {
	defer failed()
	request := copiedRequest(params)
	switch verdict := registered.authorizer.Authorize(request).(type) {
	case abstain:
		begin(0)
	case allow:
		refused := strings.FieldsFunc(verdict.refused, func(c rune) bool { return c == '\n' })
		lowered := lowerTexts(refused)
		p := begin(1, verdict, refused, lowered).At(8)
		lowerProfile(p, &verdict)
		p.At(72).PutU32(uint32(host.PlaceOf(lowered)))
		p.At(76).PutU32(uint32(len(refused)))
	case Denial:
		lowerDenial(begin(2, verdict).At(8), verdict)
	case drop:
		begin(3)
	default:
		noAnswer("Authorize", verdict)
	}
	return unsafe.Pointer(&answer)
}

//go:wasmexport tuffet:policy/resolve@0.2.0#resolve
func exportResolve(params unsafe.Pointer) unsafe.Pointer {
	defer failed()
	request := copiedRequest(params)
	switch resolution := registered.resolver.Resolve(request).(type) {
	case abstain:
		begin(0)
	case files:
		lowered := make([]uint64, 2*len(resolution.Targets))
		place := host.PlaceOf(lowered)
		for i, target := range resolution.Targets {
			place.At(uintptr(16 * i)).PutText(target.Root)
			place.At(uintptr(16*i + 8)).PutText(target.Path)
		}
		p := begin(1+given(resolution.elseNext), lowered, resolution)
		p.At(4).PutU32(uint32(place))
		p.At(8).PutU32(uint32(len(resolution.Targets)))
	case content:
		lowerContent(begin(3, resolution).At(4), resolution)
	case rendered:
		begin(4, resolution).At(4).PutText(resolution.Key)
	case Denial:
		lowerDenial(begin(5, resolution).At(4), resolution)
	default:
		noAnswer("Resolve", resolution)
	}
	return unsafe.Pointer(&answer)
}

//go:wasmexport tuffet:policy/resolve@0.2.0#render
func exportRender(text unsafe.Pointer, length uint32) unsafe.Pointer {
	defer failed()
	switch rendering := render(copiedText(text, length)).(type) {
	case content:
		p := begin(0, rendering).At(4)
		lowerContent(p, rendering)
		p.At(20).PutU8(given(rendering.TTL != nil))
		if rendering.TTL != nil {
			p.At(24).PutU32(*rendering.TTL)
		}
	case Denial:
		lowerDenial(begin(1, rendering).At(4), rendering)
	default:
		noAnswer("Render", rendering)
	}
	return unsafe.Pointer(&answer)
}

//go:wasmexport tuffet:policy/render-parts@0.2.0#begin
func exportBegin(text unsafe.Pointer, length uint32) unsafe.Pointer {
	defer failed()
	switch beginning := registered.parts.Begin(copiedText(text, length)).(type) {
	case LargeContent:
		p := begin(0, beginning).At(8)
		p.PutU8(1)
		lowerLargeContent(p.At(8), &beginning)
	case whole:
		begin(0).At(8).PutU8(0)
	case Denial:
		lowerDenial(begin(1, beginning).At(8), beginning)
	default:
		noAnswer("Begin", beginning)
	}
	return unsafe.Pointer(&answer)
}

//go:wasmexport tuffet:policy/render-parts@0.2.0#part
func exportPart(text unsafe.Pointer, textLength uint32, offset uint64, length uint32) unsafe.Pointer {
	defer failed()
	switch part := registered.parts.Part(copiedText(text, textLength), offset, length).(type) {
	case partBytes:
		begin(0, part).At(4).PutBytes(part.Bytes)
	case Denial:
		lowerDenial(begin(1, part).At(4), part)
	default:
		noAnswer("Part", part)
	}
	return unsafe.Pointer(&answer)
}

//go:wasmexport tuffet:policy/accept-upload@0.2.0#accept-upload
func exportAcceptUpload(params unsafe.Pointer) unsafe.Pointer {
	defer failed()
	host.Enter()
	p := placeOf(params)
	request := liftRequest(p)
	upload := &Upload{p.At(80).Text(), p.At(88).Text(), p.At(96).U64(), p.At(104).Text()}
	host.Leave()
	switch acceptance := registered.gate.AcceptUpload(&request, upload).(type) {
	case abstain:
		begin(0)
	case accept:
		begin(1)
	case rename:
		begin(2, acceptance).At(4).PutText(acceptance.Path)
	case Denial:
		lowerDenial(begin(3, acceptance).At(4), acceptance)
	default:
		noAnswer("AcceptUpload", acceptance)
	}
	return unsafe.Pointer(&answer)
}

//go:wasmexport tuffet:policy/observe@0.2.0#observe
func exportObserve(events unsafe.Pointer, length uint32) {
	defer failed()
	host.Enter()
	lifted := liftEvents(placeOf(events), int(length))
	host.Leave()
	registered.observer.Observe(lifted)
}

// begin writes the case of an answer, and keeps what it will point to.
func begin[T ~int | ~uint8](number T, kept ...any) host.Place {
	answered = kept
	p := placeOf(unsafe.Pointer(&answer))
	p.PutU8(uint8(number))
	return p
}

// lowerProfile writes all of a profile but the refused options.
func lowerProfile(p host.Place, its *allow) {
	lowerValues(p, SessionValues{its.blksize, its.windowsize, its.timeout})
	p.At(16).PutU8(given(its.bytes != nil))
	if its.bytes != nil {
		p.At(24).PutU64(*its.bytes)
	}
	lowerValues(p.At(32), its.floors)
	lowerValues(p.At(42), its.overrides)
	p.At(52).PutU8(given(its.burst != 0))
	p.At(54).PutU16(its.burst)
	p.At(56).PutU8(given(its.rate != 0))
	p.At(64).PutU64(its.rate)
}

func lowerValues(p host.Place, values SessionValues) {
	for i, number := range []uint16{values.Blksize, values.Windowsize} {
		p.At(uintptr(4 * i)).PutU8(given(number != 0))
		p.At(uintptr(4*i + 2)).PutU16(number)
	}
	p.At(8).PutU8(given(values.Timeout != 0))
	p.At(9).PutU8(values.Timeout)
}

func lowerContent(p host.Place, its content) {
	p.PutU8(given(its.Name != nil))
	if its.Name != nil {
		p.At(4).PutText(*its.Name)
	}
	p.At(12).PutBytes(its.Bytes)
}

func lowerLargeContent(p host.Place, its *LargeContent) {
	p.PutU8(given(its.isNamed))
	p.At(4).PutText(its.name)
	p.At(16).PutU64(its.size)
	p.At(24).PutU8(given(its.expires))
	p.At(28).PutU32(its.ttl)
}

// lowerTexts writes where texts are; somebody has to keep them.
func lowerTexts(texts []string) []uint64 {
	lowered := make([]uint64, len(texts))
	place := host.PlaceOf(lowered)
	for i, text := range texts {
		place.At(uintptr(8 * i)).PutText(text)
	}
	return lowered
}

func lowerDenial(p host.Place, denial Denial) {
	p.PutU8(uint8(denial.Code))
	p.At(4).PutText(denial.Message)
	p.At(12).PutText(denial.Reason)
}

func given(is bool) uint8 {
	if is {
		return 1
	}
	return 0
}

func copiedRequest(params unsafe.Pointer) *Request {
	host.Enter()
	request := liftRequest(placeOf(params))
	host.Leave()
	return &request
}

func copiedText(text unsafe.Pointer, length uint32) string {
	host.Enter()
	defer host.Leave()
	return string(unsafe.Slice((*byte)(text), length))
}

func placeOf(pointer unsafe.Pointer) host.Place { return host.Place(uintptr(pointer)) }

func noAnswer(hook string, answer any) {
	panic(fmt.Sprintf("%s answered %v, which is none of the answers of this hook", hook, answer))
}

// failed ends the instance if the plugin panicked; the server logs what is on standard error.
func failed() {
	value := recover()
	if value == nil {
		return
	}
	fmt.Fprintf(os.Stderr, "panic: %v%s\n", value, origin())
	host.Trap()
}

// origin returns the line of the plugin that panicked.
func origin() string {
	var callers [32]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers[:])])
	for {
		frame, more := frames.Next()
		if !strings.HasPrefix(frame.Function, "runtime.") && !strings.HasPrefix(frame.Function, "tuffet.") && frame.File != "" {
			return fmt.Sprintf(" (%s:%d)", frame.File[strings.LastIndexByte(frame.File, '/')+1:], frame.Line)
		}
		if !more {
			return ""
		}
	}
}
