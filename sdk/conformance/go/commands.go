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

func (c *commands) runAll(list [][]json.RawMessage, request *tuffet.Request, upload *tuffet.Upload) ([]any, error) {
	results := make([]any, 0, len(list))
	for _, each := range list {
		if do := command(each); do.text(0) == "fail" {
			return nil, errors.New(do.text(1))
		}
		result, err := c.run(each, request, upload)
		if err != nil {
			result = map[string]any{"error": code(err)}
		}
		results = append(results, result)
	}
	return results, nil
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
		return map[string]any{"path": its.Path, "root": its.Root, "sha256": its.SHA256, "size": its.Size}, nil
	case "kv-fill":
		return nil, kv.Set(strings.Repeat("k", int(do.number(1))), bytes.Repeat([]byte("v"), int(do.number(2))), kv.Forever)
	case "kv-sets":
		return untilError(do.number(1), func(i int64) error { return kv.Set(fmt.Sprint("key", i), []byte("v"), kv.Forever) }), nil
	case "kv-get", "kv-set", "kv-delete", "kv-add", "kv-swap", "kv-change", "kv-list", "kv-entries", "kv-delete-prefix":
		return do.keys()
	case "has-mac":
		return request.Client.HasMAC(first), nil
	case "macs":
		switch first {
		case "network":
			return shownMACs(request.Client.NetworkMACs()), nil
		case "claimed":
			return shownMACs(request.Client.ClaimedMACs()), nil
		}
		return shownMACs(request.Client.AnyMACs()), nil
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
			shown = append(shown, []any{its.Operation.String(), its.Path, its.Outcome, its.EndedAgo < 10*time.Minute})
		}
		return shown, err
	case "stat":
		found, err := files.Stat(first, second)
		if err != nil {
			return nil, present(err)
		}
		return found.Size, nil
	case "read":
		content, err := files.Read(first, second, uint64(do.number(3)))
		if err != nil {
			return nil, present(err)
		}
		return lossy(content), nil
	case "read-at":
		found, err := files.Stat(first, second)
		if err != nil {
			return nil, present(err)
		}
		content, err := files.ReadAt(first, second, found.Version, uint64(do.number(3)), uint32(do.number(4)))
		return lossy(content), err
	case "read-version":
		content, err := files.ReadAt(first, second, do.text(3), uint64(do.number(4)), uint32(do.number(5)))
		return lossy(content), err
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
	case "print":
		fmt.Println(first)
		return nil, nil
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

// A namespace has the functions of the package kv, and the methods of a shared one.
type namespace struct {
	get          func(string) ([]byte, bool, error)
	getEntry     func(string) (kv.Entry, bool, error)
	set          func(string, []byte, time.Duration) error
	remove       func(string) error
	increment    func(string, int64, time.Duration) (int64, error)
	create       func(string, []byte, time.Duration) (uint64, bool, error)
	swap         func(string, uint64, []byte, time.Duration) (uint64, bool, error)
	list         func(string, string, int) ([]kv.Listed, error)
	deletePrefix func(string) (int, error)
}

// keys runs the commands that name a shared namespace, or null for the plugin's own.
func (c command) keys() (any, error) {
	its := namespace{kv.Get, kv.GetEntry, kv.Set, kv.Delete, kv.Increment, kv.Create, kv.Swap, kv.List, kv.DeletePrefix}
	if string(c[1]) != "null" {
		space := kv.Shared(c.text(1))
		its = namespace{
			space.Get, space.GetEntry, space.Set, space.Delete, space.Increment, space.Create, space.Swap, space.List,
			space.DeletePrefix,
		}
	}
	key := c.text(2)
	switch c.text(0) {
	case "kv-get":
		value, ok, err := its.get(key)
		if err != nil || !ok {
			return nil, err
		}
		return lossy(value), nil
	case "kv-set":
		return nil, its.set(key, []byte(c.text(3)), c.seconds(4))
	case "kv-delete":
		return nil, its.remove(key)
	case "kv-add":
		return its.increment(key, c.number(3), c.seconds(4))
	case "kv-list":
		listed, err := its.list(key, c.text(3), int(c.number(4)))
		keys := []string{}
		for _, its := range listed {
			keys = append(keys, its.Key)
		}
		return keys, err
	case "kv-entries":
		listed, err := its.list(key, c.text(3), int(c.number(4)))
		entries := [][]string{}
		for _, its := range listed {
			entries = append(entries, []string{its.Key, lossy(its.Value)})
		}
		return entries, err
	case "kv-delete-prefix":
		return its.deletePrefix(key)
	case "kv-swap":
		if string(c[3]) == "null" {
			_, swapped, err := its.create(key, []byte(c.text(4)), kv.Forever)
			return swapped, err
		}
		_, swapped, err := its.swap(key, uint64(c.number(3)), []byte(c.text(4)), kv.Forever)
		return swapped, err
	}
	entry, there, err := its.getEntry(key)
	switch {
	case err != nil:
		return nil, err
	case there:
		_, swapped, err := its.swap(key, entry.Revision, []byte(c.text(3)), kv.Forever)
		return []any{lossy(entry.Value), swapped}, err
	}
	_, swapped, err := its.create(key, []byte(c.text(3)), kv.Forever)
	return []any{nil, swapped}, err
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
			return []any{i, code(err)}
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

// seconds is a time to live, if there is one.
func (c command) seconds(at int) time.Duration {
	if at >= len(c) || string(c[at]) == "null" {
		return kv.Forever
	}
	return time.Duration(c.number(at)) * time.Second
}

func answered(response *http.Response, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return []any{response.Status, lossy(response.Body)}, nil
}

// code is that of an error of the server.
func code(err error) string {
	var code tuffet.Code
	if errors.As(err, &code) {
		return string(code)
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
	client := &request.Client
	shown := map[string]any{
		"arrival": nil, "attributes": shownPairs(request.Attributes), "class": client.Class, "client": client.Address,
		"id": request.ID, "lease": nil, "listener": request.Listener, "macs": nil, "mode": request.Mode.String(),
		"operation": request.Operation.String(), "options": shownPairs(request.Options), "path": request.Path,
		"port": client.Port, "requested": request.Requested, "labels": shownLabels(request.Labels), "unix-ms": request.UnixMS,
	}
	if its := request.Arrival; its != nil {
		shown["arrival"] = map[string]any{
			"address": orNull(its.Address), "interface-name": orNull(its.InterfaceName), "vlan": its.VLAN,
		}
	}
	if its := client.Lease; its != nil {
		shown["lease"] = map[string]any{
			"age": its.Age, "architecture": its.Architecture, "client-id": orNull(its.ClientID), "expires": its.Expires,
			"hostname": orNull(its.Hostname), "mac": orNull(its.MAC), "uuid": orNull(its.UUID),
			"vendor-class": orNull(its.VendorClass),
		}
	}
	if its := client.MACs; its != nil {
		shown["macs"] = map[string]any{"claimed": shownMACs(its.Claimed), "network": shownMACs(its.Network)}
	}
	return shown
}

func shownLabels(labels []tuffet.RequestLabel) [][]string {
	shown := [][]string{}
	for _, label := range labels {
		shown = append(shown, []string{label.Plugin, label.Text})
	}
	return shown
}

func shownMACs(macs []tuffet.MAC) [][]string {
	shown := [][]string{}
	for _, mac := range macs {
		shown = append(shown, []string{mac.Address, string(mac.Source)})
	}
	return shown
}

func shownPairs(pairs []tuffet.Pair) map[string]string {
	shown := map[string]string{}
	for _, pair := range pairs {
		shown[pair.Name] = pair.Value
	}
	return shown
}
