package tuffet

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"tuffet/internal/abi"
	"tuffet/internal/host"
)

// The exports, as the canonical ABI lowers those of sdk/wit/policy.wit. Parameters are copied first, because their memory is
// used again. An answer, and what it points to, stays where it is until the next call: the server has read it before.

//go:wasmexport tuffet:policy/lifecycle@1.0.0#configure
func exportConfigure(text string) unsafe.Pointer {
	defer failed()
	host.Enter()
	settings := []byte(text)
	host.Leave()
	host.Settled()
	if registered.configurer == nil {
		panic("no plugin is registered: call tuffet.Register in an init function of package main")
	}
	problems := problemsOf(registered.configurer.Configure(settings))
	answer := begin[abi.Result[abi.List[abi.Problem]]]()
	if len(problems) > 0 {
		answer.Tag, answer.Value = 1, abi.PutList(problems, func(problem Problem) abi.Problem {
			return abi.Problem{Pointer: abi.Put(problem.Pointer), Message: abi.Put(problem.Message)}
		})
	}
	return unsafe.Pointer(answer)
}

//go:wasmexport tuffet:policy/authorize@1.0.0#authorize
func exportAuthorize(params unsafe.Pointer) unsafe.Pointer {
	defer failed()
	given = ""
	verdict, err := registered.authorizer.Authorize(copiedRequest(params))
	result := begin[abi.Result[abi.LabelledVerdict]]()
	if err != nil {
		return failure(&result.Tag, &result.Value, err)
	}
	result.Value.Label = lowerLabel()
	answer := &result.Value.Verdict
	switch verdict := verdict.(type) {
	case Abstention:
	case allow:
		answer.Tag, *abi.As[abi.Profile](&answer.Payload) = 1, lowerProfile(&verdict.Profile)
	case Denial:
		answer.Tag, *abi.As[abi.Denial](&answer.Payload) = 2, lowerDenial(verdict)
	case Silence:
		answer.Tag, *abi.As[abi.Text](&answer.Payload) = 3, abi.Put(verdict.Reason)
	default:
		noAnswer("Authorize", verdict)
	}
	return unsafe.Pointer(result)
}

//go:wasmexport tuffet:policy/resolve@1.0.0#resolve
func exportResolve(params unsafe.Pointer) unsafe.Pointer {
	defer failed()
	given = ""
	resolution, err := registered.resolver.Resolve(copiedRequest(params))
	result := begin[abi.Result[abi.LabelledResolution]]()
	if err != nil {
		return failure(&result.Tag, &result.Value, err)
	}
	result.Value.Label = lowerLabel()
	answer := &result.Value.Resolution
	switch resolution := resolution.(type) {
	case Abstention:
	case Selection:
		answer.Tag, *abi.As[abi.Selection](&answer.Payload) = 1, lowerSelection(resolution)
	case Candidate:
		answer.Tag, *abi.As[abi.Selection](&answer.Payload) = 1, lowerSelection(Serve(resolution))
	case Denial:
		answer.Tag, *abi.As[abi.Denial](&answer.Payload) = 2, lowerDenial(resolution)
	case Silence:
		answer.Tag, *abi.As[abi.Text](&answer.Payload) = 3, abi.Put(resolution.Reason)
	default:
		noAnswer("Resolve", resolution)
	}
	return unsafe.Pointer(result)
}

//go:wasmexport tuffet:policy/render@1.0.0#render
func exportRender(key string) unsafe.Pointer {
	defer failed()
	rendering, err := registered.renderer.Render(copied(key))
	result := begin[abi.Result[abi.Rendered]]()
	if err != nil {
		return failure(&result.Tag, &result.Value, err)
	}
	answer := &result.Value
	switch rendering := rendering.(type) {
	case Contents:
		abi.As[abi.Rendering](&answer.Payload).Content = lowerContents(rendering)
	case expiring:
		*abi.As[abi.Rendering](&answer.Payload) = abi.Rendering{
			Content: lowerContents(rendering.Contents), TTLSeconds: abi.Maybe(rendering.ttl),
		}
	case Denial:
		answer.Tag, *abi.As[abi.Denial](&answer.Payload) = 1, lowerDenial(rendering)
	default:
		noAnswer("Render", rendering)
	}
	return unsafe.Pointer(result)
}

//go:wasmexport tuffet:policy/render-parts@1.0.0#begin
func exportBegin(key string) unsafe.Pointer {
	defer failed()
	beginning, err := registered.parts.Begin(copied(key))
	result := begin[abi.Result[abi.Beginning]]()
	if err != nil {
		return failure(&result.Tag, &result.Value, err)
	}
	answer := &result.Value
	switch beginning := beginning.(type) {
	case LargeContent:
		*abi.As[abi.LargeContent](&answer.Payload) = abi.LargeContent{
			Name: lowerName(beginning.name), Size: beginning.Size, TTLSeconds: abi.Maybe(beginning.ttl),
		}
	case whole:
		answer.Tag = 1
	case Denial:
		answer.Tag, *abi.As[abi.Denial](&answer.Payload) = 2, lowerDenial(beginning)
	default:
		noAnswer("Begin", beginning)
	}
	return unsafe.Pointer(result)
}

//go:wasmexport tuffet:policy/render-parts@1.0.0#part
func exportPart(key string, offset uint64, length uint32) unsafe.Pointer {
	defer failed()
	part, err := registered.parts.Part(copied(key), offset, length)
	result := begin[abi.Result[abi.MadePart]]()
	if err != nil {
		return failure(&result.Tag, &result.Value, err)
	}
	answer := &result.Value
	switch part := part.(type) {
	case partBytes:
		*abi.As[abi.Text](&answer.Payload) = abi.PutBytes(part.Bytes)
	case Denial:
		answer.Tag, *abi.As[abi.Denial](&answer.Payload) = 1, lowerDenial(part)
	default:
		noAnswer("Part", part)
	}
	return unsafe.Pointer(result)
}

//go:wasmexport tuffet:policy/accept-upload@1.0.0#accept-upload
func exportAcceptUpload(params unsafe.Pointer) unsafe.Pointer {
	defer failed()
	host.Enter()
	its := (*abi.UploadParams)(params)
	request, upload := liftRequest(&its.Request), liftUpload(&its.Upload)
	host.Leave()
	acceptance, err := registered.gate.AcceptUpload(&request, &upload)
	result := begin[abi.Result[abi.Acceptance]]()
	if err != nil {
		return failure(&result.Tag, &result.Value, err)
	}
	answer := &result.Value
	switch acceptance := acceptance.(type) {
	case Abstention:
	case accept:
		answer.Tag = 1
	case Renaming:
		answer.Tag = 2
		*abi.As[abi.Destination](&answer.Payload) = abi.Destination{Path: abi.Put(acceptance.Path), NextFree: acceptance.nextFree}
	case Denial:
		answer.Tag, *abi.As[abi.Denial](&answer.Payload) = 3, lowerDenial(acceptance)
	default:
		noAnswer("AcceptUpload", acceptance)
	}
	return unsafe.Pointer(result)
}

//go:wasmexport tuffet:policy/observe@1.0.0#observe
func exportObserve(events unsafe.Pointer, length uint32) {
	defer failed()
	host.Enter()
	lifted := abi.LiftAll(unsafe.Slice((*abi.Event)(events), length), liftEvent)
	host.Leave()
	registered.observer.Observe(lifted)
}

// The last answer.
var answered any

// begin makes room for an answer, in place of the last one.
func begin[T any]() *T {
	abi.Forget()
	answer := new(T)
	answered = answer
	return answer
}

// failure makes a result an error: value is that of the answer, which begins where the text does.
func failure[T any](tag *uint8, value *T, err error) unsafe.Pointer {
	*tag, *abi.As[abi.Text](value) = 1, abi.Put(err.Error())
	return unsafe.Pointer(tag)
}

func lowerLabel() (lowered abi.Option[abi.Text]) {
	if given != "" {
		lowered = abi.Some(abi.Put(given))
	}
	return lowered
}

func copiedRequest(params unsafe.Pointer) *Request {
	host.Enter()
	request := liftRequest((*abi.Request)(params))
	host.Leave()
	return &request
}

func copied(text string) string {
	host.Enter()
	defer host.Leave()
	return strings.Clone(text)
}

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
