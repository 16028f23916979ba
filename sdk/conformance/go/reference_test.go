package main

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"tuffet"
	"tuffet/tuffettest"
)

func configured(t *testing.T, settings any) (*reference, error) {
	tuffettest.Reset(t)
	plugin := &reference{}
	return plugin, tuffettest.Configure(t, plugin, settings)
}

// read returns settings from text.
func read(text string) json.RawMessage { return json.RawMessage(text) }

func TestAnswers(t *testing.T) {
	plugin, err := configured(t, read(`{"rules": [
		{"hook": "authorize", "path": "a*", "answer": {"allow": {
			"ceilings": {"blksize": 512}, "floors": {"windowsize": 4}, "max-size": 0, "rate": 2048, "refuse-options": ["tsize"],
			"attributes": {"a": "b"}}}},
		{"hook": "authorize", "path": "drop", "answer": {"drop": "why"}},
		{"hook": "resolve", "path": "file", "answer": {"serve": {"candidates": ["boot:x:y"]}}},
		{"hook": "resolve", "path": "all", "answer": {"serve": {
			"candidates": ["boot:a", {"rendering": "menu/{path}"}, {"content": "c", "name": "n"}, {"bytes": 2}],
			"else-next": true, "profile": {"burst": 1}}}},
		{"hook": "resolve", "path": "drop", "answer": {"drop": "why"}},
		{"hook": "accept-upload", "path": "a", "answer": {"rename": {"path": "{sha256}"}}},
		{"hook": "accept-upload", "path": "free", "answer": {"rename": {"path": "b", "next-free": true}}}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	_, upload := tuffettest.Upload("boot", "a", "ab")
	request := tuffettest.Request
	for _, each := range []struct{ got, want any }{
		{sure(plugin.Authorize(request("abc"))), tuffet.Allow(tuffet.Profile{
			Ceilings: tuffet.SessionValues{Blksize: 512}, Floors: tuffet.SessionValues{Windowsize: 4}, MaxSize: new(uint64),
			Rate: 2048, RefuseOptions: []string{"tsize"}, Attributes: []tuffet.Pair{{Name: "a", Value: "b"}},
		})},
		{sure(plugin.Authorize(request("drop"))), tuffet.Drop("why")},
		{sure(plugin.Authorize(request("b"))), tuffet.Abstain()},
		{sure(plugin.Resolve(request("file"))), tuffet.Files(tuffet.File("boot", "x:y"))},
		{sure(plugin.Resolve(request("all"))), tuffet.Serve(
			tuffet.File("boot", "a"), tuffet.Rendered("menu/all"), tuffet.Content([]byte("c")).Named("n"),
			tuffet.Content([]byte{0, 1}),
		).ElseNext().With(tuffet.Profile{Burst: 1})},
		{sure(plugin.Resolve(request("drop"))), tuffet.Drop("why")},
		{sure(plugin.AcceptUpload(request("a"), upload)), tuffet.Rename(upload.SHA256)},
		{sure(plugin.AcceptUpload(request("free"), upload)), tuffet.Rename("b").NextFree()},
	} {
		if !reflect.DeepEqual(each.got, each.want) {
			t.Errorf("%v is not %v", each.got, each.want)
		}
	}
}

func TestRenderings(t *testing.T) {
	plugin, err := configured(t, read(`{"renders": {
		"menu": {"do": [["kv-add", null, "n", 1]], "ttl-seconds": 9}, "named": {"content": "c", "name": ""}
	}}`))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]tuffet.Rendering{
		"menu":  tuffet.Content([]byte("[1]")).Expiring(9 * time.Second),
		"named": tuffet.Content([]byte("c")).Named(""),
		"other": tuffet.Deny(tuffet.FileNotFound, "no such content", `no rule for the key "other"`),
	} {
		if got := sure(plugin.Render(key)); !reflect.DeepEqual(got, want) {
			t.Errorf("%v is not %v", got, want)
		}
	}
}

func TestContentInParts(t *testing.T) {
	plugin, err := configured(t, map[string]any{"renders": map[string]any{
		"a": map[string]any{"parts": 600, "name": "n", "ttl-seconds": 9, "part-bytes": 3, "ends-at": 300},
		"b": map[string]any{"content": "text"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]tuffet.Beginning{
		"a": tuffet.InParts(600).Named("n").Expiring(9 * time.Second),
		"b": tuffet.Whole(),
		"c": tuffet.Deny(tuffet.FileNotFound, "no such content", `no rule for the key "c"`),
	} {
		if got := sure(plugin.Begin(key)); !reflect.DeepEqual(got, want) {
			t.Errorf("%v is not %v", got, want)
		}
	}
	if got := sure(plugin.Part("a", 250, 100)); !reflect.DeepEqual(got, tuffet.Bytes([]byte{250, 0, 1})) {
		t.Error(got)
	}
	if got, ok := sure(plugin.Part("a", 300, 100)).(tuffet.Denial); !ok || got.Message != "it ends here" {
		t.Error(got)
	}
}

func TestCommands(t *testing.T) {
	plugin, err := configured(t, read(`{"rules": [{"hook": "accept-upload", "path": "a", "answer": "tell", "do": [
		["kv-add", null, "n", 2], ["kv-add", "leases", "n", 3, 60], ["kv-set", "leases", "k", "v"], ["kv-get", null, "k"],
		["kv-change", "leases", "k", "w"], ["kv-swap", null, "k", null, "x"], ["kv-list", "leases", "", null, 9],
		["stat", "boot", "f"], ["read", "boot", "f", 3], ["read-at", "boot", "f", 1, 2],
		["read-version", "boot", "f", "other", 0, 1], ["emit", "out", [1]], ["upload-read", 1, 5], ["upload"], ["has-mac", "0200.5e10.0001"],
		["kv-fill", 257, 1], ["kv-sets", 3], ["print", "hello"], ["get", "ftp://a/", 1]
	]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	tuffettest.PutFile("boot", "f", "text")
	request, upload := tuffettest.Upload("boot", "a", "ab")
	request.Client.MACs = tuffettest.MACs("02:00:5e:10:00:01")
	want := tuffet.Deny(tuffet.AccessViolation, "told", `[2,3,null,null,["v",true],true,["k","n"],4,{"error":"too-large"},"ex",`+
		`{"error":"changed"},null,"b",{"path":"a","root":"boot","sha256":"`+upload.SHA256+`","size":2},true,`+
		`{"error":"bad-argument"},[3,null],null,{"error":"bad-argument"}]`)
	if got := sure(plugin.AcceptUpload(request, upload)); got != want {
		t.Error(got)
	}
}

func TestRequestsAndEventsAreShown(t *testing.T) {
	number, vlan := uint64(7), uint16(7)
	request := tuffettest.Request("a")
	request.Client.MACs = &tuffet.MACAddresses{Claimed: []tuffet.MAC{{Address: "02:00:5e:10:00:01", Source: "new"}}}
	request.Client.Lease = &tuffet.Lease{Hostname: "h", Expires: &number}
	request.UnixMS, request.Labels = 5, []tuffet.RequestLabel{{Plugin: "classify", Text: "canary"}}
	request.Arrival = &tuffet.Arrival{Address: "192.0.2.1", VLAN: &vlan}
	started := tuffet.DecidedRequest{Request: *request, Resolved: tuffet.File("boot", "a"), Size: &number}
	for got, want := range map[string]string{
		text(shownRequest(request)): `{"arrival":{"address":"192.0.2.1","interface-name":null,"vlan":7},"attributes":{},` +
			`"class":"unknown","client":"192.0.2.7","id":"1","labels":[["classify","canary"]],"lease":{"age":0,"architecture":null,"client-id":null,"expires":7,` +
			`"hostname":"h","mac":null,"uuid":null,"vendor-class":null},"listener":"default",` +
			`"macs":{"claimed":[["02:00:5e:10:00:01","new"]],"network":[]},"mode":"octet","operation":"read","options":{},` +
			`"path":"a","port":2000,"requested":"a","unix-ms":5}`,
		text(shown(&tuffet.Event{Sequence: 2, UnixMS: 3, Started: &started})): `{"decided-by":null,"ms":3,"path":"a",` +
			`"resolved":{"file":["boot","a"]},"sequence":2,"size":7,"started":"1"}`,
		text(shown(&tuffet.Event{Progressed: &tuffet.Progress{RequestID: "1", Transferred: 5}})): `{"ms":0,"progressed":"1",` +
			`"sequence":0,"size":null,"transferred":5}`,
		text(shown(&tuffet.Event{Other: &tuffet.OtherEvent{Kind: "new"}})): `{"attributes":{},"ms":0,"other":"new",` +
			`"request-id":null,"sequence":0}`,
		text(shown(&tuffet.Event{Finished: &tuffet.Summary{
			DecidedRequest: tuffet.DecidedRequest{Request: *request, Resolved: tuffet.ContentName(""), DecidedBy: "p"},
			Decision:       tuffet.Granted, Outcome: "new", Tried: []tuffet.Target{tuffet.File("boot", "b")},
		}})): `{"blksize":0,"blocks":0,"decided-by":"p","decision":"granted","detail":null,"finished":"1","ms":0,"outcome":"new",` +
			`"path":"a","resolved":{"content":null},"retransmissions":0,"sequence":0,"size":null,"transferred":0,` +
			`"tried":[["boot","b"]],"tried-by":null,"windowsize":0}`,
	} {
		if got != want {
			t.Errorf("%s is not %s", got, want)
		}
	}
}

func TestProblems(t *testing.T) {
	_, err := configured(t, read(`{"rules": [
		{"hook": "resolve", "path": "", "answer": "accept"}, {"hook": "accept-upload", "path": "a", "answer": {"drop": "why"}}
	]}`))
	var problems tuffet.Problems
	if !errors.As(err, &problems) || len(problems) != 3 || problems[1].Pointer != "/rules/0/answer" {
		t.Error(err)
	}
	for _, answer := range []string{
		`{"drop": 1}`, `"drop"`, `{"serve": {"candidates": [{}]}}`, `{"serve": {"candidates": [{"content": "a", "size": 1}]}}`,
		`{"serve": {"else": true}}`,
	} {
		if _, err := configured(t, read(`{"rules": [{"hook": "resolve", "path": "a", "answer": `+answer+`}]}`)); err == nil {
			t.Error(answer)
		}
	}
}

// sure is an answer that is no failure.
func sure[T any](answer T, err error) T {
	if err != nil {
		panic(err)
	}
	return answer
}

func TestFailuresAndLabels(t *testing.T) {
	plugin, err := configured(t, read(`{"rules": [
		{"hook": "authorize", "path": "fails", "answer": "abstain", "do": [["fail", "on purpose"]]},
		{"hook": "authorize", "path": "labels", "answer": "abstain", "label": "canary"}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plugin.Authorize(tuffettest.Request("fails")); err == nil || err.Error() != "on purpose" {
		t.Error(err)
	}
	if sure(plugin.Authorize(tuffettest.Request("labels"))); tuffet.Labelled() != "canary" || tuffet.Labelled() != "" {
		t.Error("no label")
	}
}
