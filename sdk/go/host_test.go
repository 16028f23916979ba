package tuffet_test

import (
	"errors"
	"io/fs"
	"reflect"
	"testing"
	"time"

	"tuffet"
	"tuffet/files"
	"tuffet/http"
	"tuffet/kv"
	"tuffet/log"
	"tuffet/sinks"
	"tuffet/tuffettest"
)

func TestKeys(t *testing.T) {
	tuffettest.Reset(t)
	if _, ok, err := kv.Get("a"); ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := kv.Set("a", []byte("x"), time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if value, ok, err := kv.Get("a"); string(value) != "x" || !ok || err != nil {
		t.Fatal("a short time is not no time:", value, ok, err)
	}
	if _, err := kv.Increment("a", 1, kv.Forever); !errors.Is(err, tuffet.ErrInvalid) {
		t.Fatal(err)
	}
	for want := int64(2); want < 7; want += 2 {
		if sum, err := kv.Increment("n", 2, time.Hour); sum != want || err != nil {
			t.Fatal(sum, err)
		}
	}
	if err := kv.Set("", nil, kv.Forever); !errors.Is(err, tuffet.ErrInvalid) {
		t.Fatal(err)
	}
}

func TestFiles(t *testing.T) {
	tuffettest.Reset(t)
	tuffettest.PutFile("boot", "f", "text")
	if content, err := files.Read("boot", "f", 4); string(content) != "text" || err != nil {
		t.Fatal(content, err)
	}
	var failed *tuffet.HostError
	if _, err := files.Read("boot", "f", 3); !errors.Is(err, tuffet.ErrTooLarge) || !errors.As(err, &failed) || failed.Bytes != 4 {
		t.Fatal(err)
	}
	if _, err := files.Stat("boot", "g"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

func TestSinksAndLog(t *testing.T) {
	tuffettest.Reset(t)
	if err := sinks.Emit("out", map[string]any{"a": "<b>"}); err != nil {
		t.Fatal(err)
	}
	tuffettest.Fill("out")
	if err := sinks.Emit("out", 1); !errors.Is(err, tuffet.ErrFull) {
		t.Fatal(err)
	}
	if got := tuffettest.Emitted("out"); !reflect.DeepEqual(got, []string{`{"a":"<b>"}`}) {
		t.Fatal(got)
	}
	log.Warn("full", "sink", "out", "count", 1)
	want := []tuffettest.Line{{
		Level: "warn", Message: "full",
		Fields: []tuffet.Pair{{Name: "sink", Value: "out"}, {Name: "count", Value: "1"}},
	}}
	if got := tuffettest.Logged(); !reflect.DeepEqual(got, want) {
		t.Fatal(got)
	}
}

func TestHTTP(t *testing.T) {
	tuffettest.Reset(t)
	tuffettest.PutResponse("http://a/b", 404, "there")
	if response, err := http.Get("http://a/b", 5); err != nil || response.Status != 404 || string(response.Body) != "there" {
		t.Fatal(response, err)
	}
	for url, want := range map[string]error{
		"http://a/b": tuffet.ErrTooLarge, "http://a/c": tuffet.ErrDenied, "ftp://a/": tuffet.ErrInvalid,
		"http://": tuffet.ErrInvalid, "http://a?b": tuffet.ErrInvalid,
	} {
		if _, err := http.Get(url, 4); !errors.Is(err, want) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
