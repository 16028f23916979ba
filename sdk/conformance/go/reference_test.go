package main

import (
	"errors"
	"reflect"
	"testing"

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
