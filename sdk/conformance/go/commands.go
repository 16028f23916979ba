package main

import (
	"bytes"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"tuffet"
	"tuffet/files"
	"tuffet/history"
	"tuffet/http"
	"tuffet/kv"
	"tuffet/log"
	"tuffet/metrics"
	"tuffet/sinks"
	"tuffet/upload"
)

// commands are what a plugin may do, and what it should not.
type commands struct {
	// Of this instance.
	calls uint64
	kept  [][]byte
}

type command []json.RawMessage

func (c command) text(at int) string {
	var text string
	if at < len(c) {
		_ = json.Unmarshal(c[at], &text) // What is no text is empty.
	}
	return text
}

func (c command) number(at int) int64 {
	var number int64
	if at < len(c) {
		_ = json.Unmarshal(c[at], &number) // What is no number is 0.
	}
	return number
}

func (c *commands) runAll(list [][]json.RawMessage, request *tuffet.Request, upload *tuffet.Upload) []any {
	results := make([]any, 0, len(list))
	for _, each := range list {
		result, err := c.run(each, request, upload)
		if err != nil {
			result = map[string]any{"error": word(err)}
		}
		results = append(results, result)
	}
	return results
}

func (c *commands) run(do command, request *tuffet.Request, its *tuffet.Upload) (any, error) {
	first, second := do.text(1), do.text(2)
	switch do.text(0) {
	case "request":
		return shownRequest(request), nil
	case "upload":
		if its == nil {
			return nil, nil
		}
		return map[string]any{"bytes": its.Bytes, "path": its.Path, "root": its.Root, "sha256": its.SHA256}, nil
	case "kv-get":
		value, ok, err := kv.Get(first)
		if err != nil || !ok {
			return nil, err
		}
		return lossy(value), nil
	case "kv-set":
		return nil, kv.Set(first, []byte(second), seconds(do))
	case "kv-fill":
		return nil, kv.Set(strings.Repeat("k", int(do.number(1))), bytes.Repeat([]byte("v"), int(do.number(2))), kv.Forever)
	case "kv-delete":
		return nil, kv.Delete(first)
	case "kv-add":
		sum, err := kv.Increment(first, do.number(2), seconds(do))
		return sum, err
	case "kv-sets":
		return untilError(do.number(1), func(i int64) error { return kv.Set(fmt.Sprint("key", i), []byte("v"), kv.Forever) }), nil
	case "kv-swap", "kv-change", "kv-list":
		return do.keys()
	case "shared-get":
		value, ok, err := kv.Shared(first).Get(second)
		if err != nil || !ok {
			return nil, err
		}
		return lossy(value), nil
	case "shared-set":
		return nil, kv.Shared(first).Set(second, []byte(do.text(3)), kv.Forever)
	case "shared-delete":
		return nil, kv.Shared(first).Delete(second)
	case "shared-add":
		sum, err := kv.Shared(first).Increment(second, do.number(3), kv.Forever)
		return sum, err
	case "upload-read":
		content, err := upload.Read(uint64(do.number(1)), uint32(do.number(2)))
		return lossy(content), err
	case "count":
		return nil, metrics.Add(first, uint64(do.number(2)), do.pairs(3)...)
	case "counts":
		return untilError(do.number(1), func(i int64) error { return metrics.Add(fmt.Sprint("n", i), 1) }), nil
	case "gauge":
		var value float64
		_ = json.Unmarshal(do[2], &value) // What is no number is 0.
		return nil, metrics.Set(first, value, do.pairs(3)...)
	case "history":
		past, err := history.Recent()
		shown := [][]any{}
		for _, its := range past {
			shown = append(shown, []any{its.Operation.String(), its.Path, its.Outcome.String(), its.EndedAgo < 10*time.Minute})
		}
		return shown, err
	case "stat":
		found, err := files.Stat(first, second)
		if err != nil {
			return nil, present(err)
		}
		return found.Bytes, nil
	case "read":
		content, err := files.Read(first, second, uint64(do.number(3)))
		if err != nil {
			return nil, present(err)
		}
		return lossy(content), nil
	case "reads":
		return untilError(do.number(3), func(int64) error {
			_, err := files.Read(first, second, 1<<30)
			return present(err)
		}), nil
	case "emit":
		return nil, sinks.EmitLine(first, string(do[2]))
	case "emit-line":
		return nil, sinks.EmitLine(first, second)
	case "emits":
		return untilError(do.number(2), func(i int64) error { return sinks.Emit(first, i) }), nil
	case "log":
		var pairs []any
		for _, text := range do.pairs(3) {
			pairs = append(pairs, text)
		}
		levels := map[string]func(string, ...any){
			"trace": log.Trace, "debug": log.Debug, "info": log.Info, "warn": log.Warn, "error": log.Error,
		}
		levels[first](second, pairs...)
		return nil, nil
	case "logs":
		return untilError(do.number(1), func(i int64) error {
			log.Error(fmt.Sprint("line ", i, " ", strings.Repeat("x", 2000)))
			return nil
		}), nil
	case "get":
		return answered(http.Get(first, int(do.number(2))))
	case "post":
		return answered(http.Send(&http.Request{
			Method: "POST", URL: first, Headers: []http.Header{{Name: "x-probe", Value: "yes"}}, Body: []byte(second),
			Limit: 1 << 20,
		}))
	case "clock":
		return time.Now().Unix(), nil
	case "random":
		return crand.Text(), nil
	case "calls":
		return c.calls, nil
	}
	c.misbehave(do)
	return nil, nil
}

// keys runs the commands that name a shared namespace, or null for the plugin's own.
func (c command) keys() (any, error) {
	space, key, value := kv.Shared(c.text(1)), c.text(2), []byte(c.text(len(c)-1))
	create, swap, entryOf, list := space.Create, space.Swap, space.GetEntry, space.List
	if string(c[1]) == "null" {
		create, swap, entryOf, list = kv.Create, kv.Swap, kv.GetEntry, kv.List
	}
	var entry kv.Entry
	var there, swapped bool
	var err error
	switch c.text(0) {
	case "kv-list":
		keys, err := list(key, c.text(3), int(c.number(4)))
		if err != nil {
			return nil, err
		}
		return append([]string{}, keys...), nil
	case "kv-swap":
		there = json.Unmarshal(c[3], &entry.Revision) == nil && string(c[3]) != "null"
	default:
		if entry, there, err = entryOf(key); err != nil {
			return nil, err
		}
	}
	if there {
		_, swapped, err = swap(key, entry.Revision, value, kv.Forever)
	} else {
		_, swapped, err = create(key, value, kv.Forever)
	}
	switch {
	case err != nil || c.text(0) == "kv-swap":
		return swapped, err
	case there:
		return []any{lossy(entry.Value), swapped}, nil
	}
	return []any{nil, swapped}, nil
}

// pairs returns names and values of a map, alternately.
func (c command) pairs(at int) []string {
	var fields map[string]string
	_ = json.Unmarshal(c[at], &fields) // What is no map is empty.
	var pairs []string
	for name, value := range fields {
		pairs = append(pairs, name, value)
	}
	return pairs
}

func (c *commands) misbehave(do command) {
	switch do.text(0) {
	case "loop":
		for n := uint64(0); n != 1<<63; n = n/2 + 1 {
		}
	case "hog":
		for {
			c.keep(1)
		}
	case "grow":
		c.keep(do.number(1))
	case "recurse":
		fmt.Fprintln(os.Stderr, recurse(1))
	case "sleep":
		time.Sleep(time.Duration(do.number(1)) * time.Second)
	case "exit":
		os.Exit(int(do.number(1)))
	case "fail":
		panic(do.text(1))
	case "escape":
		escape()
	default:
		panic(fmt.Sprintf("no such command: %s", do))
	}
}

func (c *commands) keep(mebibytes int64) {
	c.kept = append(c.kept, bytes.Repeat([]byte{1}, int(mebibytes)<<20))
}

func recurse(depth uint64) uint64 {
	var frame [64]uint64
	frame[depth%64] = depth
	sum := recurse(depth+1) + frame[depth%64]
	runtime.KeepAlive(&frame)
	return sum
}

// escape looks for what a plugin must not find.
func escape() {
	if found := len(os.Environ()) + len(os.Args); found != 0 {
		panic("environment or arguments")
	}
	if _, err := os.ReadDir("/"); err == nil {
		panic("a file system")
	}
	if err := os.WriteFile("escaped", []byte("x"), 0o600); err == nil {
		panic("a file system to write to")
	}
}

// untilError returns how many calls succeeded, and why the next did not.
func untilError(count int64, call func(int64) error) []any {
	for i := range count {
		if err := call(i); err != nil {
			return []any{i, word(err)}
		}
	}
	return []any{count, nil}
}

// present takes a missing file for a success without a result.
func present(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// seconds is the time to live, which comes last.
func seconds(do command) time.Duration {
	if len(do) <= 3 || string(do[3]) == "null" {
		return kv.Forever
	}
	return time.Duration(do.number(3)) * time.Second
}

func answered(response *http.Response, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return []any{response.Status, lossy(response.Body)}, nil
}

// word is the case of the interface's error.
func word(err error) string {
	for kind, word := range map[error]string{
		tuffet.ErrDenied: "denied", tuffet.ErrQuota: "quota", tuffet.ErrInvalid: "invalid", tuffet.ErrFull: "full",
		tuffet.ErrTooLarge: "too-large", tuffet.ErrUnavailable: "unavailable",
		tuffet.ErrNoAnswer: "no-answer",
	} {
		if errors.Is(err, kind) {
			return word
		}
	}
	return err.Error()
}

func lossy(bytes []byte) string { return strings.ToValidUTF8(string(bytes), "\ufffd") }

func text(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func shownRequest(request *tuffet.Request) any {
	if request == nil {
		return nil
	}
	pairs := func(list []tuffet.Pair) map[string]string {
		shown := map[string]string{}
		for _, pair := range list {
			shown[pair.Name] = pair.Value
		}
		return shown
	}
	macs := [][]string{}
	for _, mac := range request.Client.MACs {
		macs = append(macs, []string{mac.Address, mac.Source.String()})
	}
	return map[string]any{
		"attributes": pairs(request.Attributes), "class": request.Client.Class, "client": request.Client.Address,
		"id": request.ID, "listener": request.Listener, "macs": macs, "mode": request.Mode.String(),
		"operation": request.Operation.String(), "options": pairs(request.Options), "path": request.Path,
		"port": request.Client.Port, "requested": request.Requested,
	}
}
