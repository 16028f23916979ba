package main

import (
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

func rules(rules ...map[string]any) map[string]any { return map[string]any{"rules": rules} }

func TestAnswers(t *testing.T) {
	plugin, err := configured(t, rules(
		map[string]any{"hook": "authorize", "path": "a*", "answer": map[string]any{"allow": map[string]any{"blksize": 512}}},
		map[string]any{"hook": "resolve", "path": "a", "answer": map[string]any{"files": []string{"boot:x:y"}}},
		map[string]any{"hook": "accept-upload", "path": "a", "answer": map[string]any{"rename": "{sha256}"}},
	))
	if err != nil {
		t.Fatal(err)
	}
	request, upload := tuffettest.Upload("boot", "a", "ab")
	for got, want := range map[any]any{
		plugin.Authorize(tuffettest.Request("abc")): tuffet.Allow(tuffet.Limits{Blksize: 512}),
		plugin.Authorize(tuffettest.Request("b")):   tuffet.Abstain(),
		plugin.AcceptUpload(request, upload):        tuffet.Rename(upload.SHA256),
	} {
		if got != want {
			t.Errorf("%v is not %v", got, want)
		}
	}
	want := tuffet.Files(tuffet.Target{Root: "boot", Path: "x:y"})
	if got := plugin.Resolve(tuffettest.Request("a")); !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
}

func TestAnswersOf020(t *testing.T) {
	plugin, err := configured(t, map[string]any{
		"rules": []map[string]any{
			{"hook": "authorize", "path": "a", "answer": map[string]any{"allow": map[string]any{
				"floors": map[string]any{"windowsize": 4}, "rate": 2048, "refuse-options": []string{"tsize"},
			}}},
			{"hook": "resolve", "path": "a", "answer": map[string]any{"files-else-next": []string{"boot:x"}}},
			{"hook": "resolve", "path": "b", "answer": map[string]any{"named": map[string]any{"name": "n", "content": "c"}}},
			{"hook": "resolve", "path": "c", "answer": map[string]any{"rendered": "menu/{path}"}},
		},
		"renders": map[string]any{"menu/c": map[string]any{"do": [][]any{{"kv-add", "n", 1}}, "ttl-seconds": 9}},
	})
	if err != nil {
		t.Fatal(err)
	}
	allowed := tuffet.Allow(tuffet.Profile{
		Floors: tuffet.SessionValues{Windowsize: 4}, Rate: 2048, RefuseOptions: []string{"tsize"},
	})
	if got := plugin.Authorize(tuffettest.Request("a")); got != allowed {
		t.Error(got)
	}
	for path, want := range map[string]tuffet.Resolution{
		"a": tuffet.FilesElseNext(tuffet.Target{Root: "boot", Path: "x"}),
		"b": tuffet.NamedContent("n", []byte("c")),
		"c": tuffet.Rendered("menu/c"),
	} {
		if got := plugin.Resolve(tuffettest.Request(path)); !reflect.DeepEqual(got, want) {
			t.Errorf("%v is not %v", got, want)
		}
	}
	want := tuffet.Expiring(tuffet.Content([]byte("[1]")), 9*time.Second)
	if got := plugin.Render("menu/c"); !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
	if got, ok := plugin.Render("d").(tuffet.Denial); !ok || got.Code != tuffet.FileNotFound {
		t.Error(got)
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
		if got := plugin.Begin(key); got != want {
			t.Errorf("%v is not %v", got, want)
		}
	}
	if got := plugin.Part("a", 250, 100); !reflect.DeepEqual(got, tuffet.Bytes([]byte{250, 0, 1})) {
		t.Error(got)
	}
	if got, ok := plugin.Part("a", 300, 100).(tuffet.Denial); !ok || got.Message != "it ends here" {
		t.Error(got)
	}
}

func TestCommands(t *testing.T) {
	do := [][]any{{"kv-add", "n", 2}, {"read", "boot", "f", 3}, {"emit", "out", []int{1}}}
	plugin, err := configured(t, rules(map[string]any{"hook": "authorize", "path": "a", "answer": "tell", "do": do}))
	if err != nil {
		t.Fatal(err)
	}
	tuffettest.PutFile("boot", "f", "text")
	want := tuffet.Deny(tuffet.AccessViolation, "told", `[2,{"error":"too-large"},null]`)
	if got := plugin.Authorize(tuffettest.Request("a")); got != want {
		t.Error(got)
	}
}

func TestProblems(t *testing.T) {
	_, err := configured(t, rules(map[string]any{"hook": "resolve", "path": "", "answer": "drop"}))
	var problems tuffet.Problems
	if !errors.As(err, &problems) || len(problems) != 2 || problems[1].Pointer != "/rules/0/answer" {
		t.Error(err)
	}
}
