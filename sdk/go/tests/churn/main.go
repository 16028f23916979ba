// A plugin that allocates much in each hook, so that collections happen at any time: while the server hands over a
// request, too, if the SDK let them. It compares everything that it gets before and after.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"

	"tuffet"
	"tuffet/files"
	"tuffet/kv"
)

type churn struct {
	calls uint64
	// Lives from call to call, among all the garbage.
	kept map[string][]byte
}

func init() { tuffet.Register(&churn{kept: map[string][]byte{}}) }

func main() {}

func (p *churn) Configure([]byte) error {
	litter()
	return nil
}

// litter leaves half a megabyte of garbage in small pieces.
func litter() map[string][]string {
	pieces := map[string][]string{}
	for i := range 2000 {
		key := fmt.Sprint("key", i%50)
		pieces[key] = append(pieces[key], strings.Repeat("x", 100+i%100))
	}
	return pieces
}

func (p *churn) call(request *tuffet.Request) {
	p.calls++
	before := fmt.Sprintf("%+v", *request)
	pieces := litter()
	key := fmt.Sprint("value", p.calls%8)
	value := bytes.Repeat([]byte{byte(p.calls)}, 20000)
	must(kv.Set(key, value, kv.Forever))
	litter()
	stored, ok, err := kv.Get(key)
	must(err)
	content, err := files.Read("boot", "content", 1<<20)
	must(err)
	litter()
	p.kept[key] = stored
	if !ok || !bytes.Equal(stored, value) || !bytes.Equal(content, bytes.Repeat([]byte("0123456789"), 5000)) {
		panic("a value or a file is not what it was")
	}
	for key, kept := range p.kept {
		if len(kept) != 20000 || bytes.Count(kept, kept[:1]) != len(kept) {
			panic("a value that was kept has changed: " + key)
		}
	}
	if after := fmt.Sprintf("%+v", *request); after != before || len(pieces) != 50 {
		panic("the request has changed: " + after)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (p *churn) Authorize(r *tuffet.Request) (tuffet.Verdict, error) {
	p.call(r)
	return tuffet.Allow(tuffet.Profile{}), nil
}

func (p *churn) Resolve(r *tuffet.Request) (tuffet.Resolution, error) {
	p.call(r)
	if r.Operation == tuffet.Write {
		return tuffet.Abstain(), nil
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	answer, err := json.Marshal(map[string]any{"path": r.Path, "calls": p.calls, "collections": memory.NumGC})
	must(err)
	return tuffet.Content(answer), nil
}

func (p *churn) AcceptUpload(r *tuffet.Request, u *tuffet.Upload) (tuffet.Acceptance, error) {
	p.call(r)
	return tuffet.Rename(u.Path + "." + u.SHA256[:8]), nil
}

func (p *churn) Observe(events []tuffet.Event) {
	before := fmt.Sprintf("%+v", events)
	litter()
	if fmt.Sprintf("%+v", events) != before {
		panic("events have changed")
	}
}
