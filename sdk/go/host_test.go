package tuffet_test

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"time"

	"tuffet"
	"tuffet/files"
	"tuffet/history"
	"tuffet/http"
	"tuffet/kv"
	"tuffet/log"
	"tuffet/metrics"
	"tuffet/sinks"
	"tuffet/tuffettest"
	"tuffet/upload"
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
	if _, err := kv.Increment("a", 1, kv.Forever); !errors.Is(err, tuffet.ErrBadArgument) {
		t.Fatal(err)
	}
	for want := int64(2); want < 7; want += 2 {
		if sum, err := kv.Increment("n", 2, time.Hour); sum != want || err != nil {
			t.Fatal(sum, err)
		}
	}
	if err := kv.Set("", nil, kv.Forever); !errors.Is(err, tuffet.ErrBadArgument) {
		t.Fatal(err)
	}
}

func TestRevisions(t *testing.T) {
	tuffettest.Reset(t)
	first, ok, err := kv.Create("a", []byte("one"), kv.Forever)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, ok, err := kv.Create("a", []byte("two"), kv.Forever); ok || err != nil {
		t.Fatal("it is there already:", ok, err)
	}
	if entry, ok, err := kv.GetEntry("a"); string(entry.Value) != "one" || entry.Revision != first || !ok || err != nil {
		t.Fatal(entry, ok, err)
	}
	second, ok, err := kv.Swap("a", first, []byte("two"), time.Hour)
	if second <= first || !ok || err != nil {
		t.Fatal(second, ok, err)
	}
	if _, ok, err := kv.Swap("a", first, []byte("three"), kv.Forever); ok || err != nil {
		t.Fatal("its revision is another one:", ok, err)
	}
	if _, ok, err := kv.Swap("b", 0, nil, kv.Forever); ok || err != nil {
		t.Fatal("there is no such key:", ok, err)
	}
}

func TestPagesOfKeys(t *testing.T) {
	tuffettest.Reset(t)
	for _, key := range []string{"host/b", "host/a", "other", "host/ä"} {
		if err := kv.Set(key, nil, kv.Forever); err != nil {
			t.Fatal(err)
		}
	}
	for _, page := range []struct {
		after string
		limit int
		want  []string
	}{
		{"", 2, []string{"host/a", "host/b"}}, {"host/b", 9, []string{"host/ä"}}, {"host/ä", 9, nil}, {"", -1, nil},
	} {
		var got []string
		listed, err := kv.List("host/", page.after, page.limit)
		for _, its := range listed {
			got = append(got, its.Key)
		}
		if fmt.Sprint(got) != fmt.Sprint(page.want) || err != nil {
			t.Error(page, got, err)
		}
	}
}

func TestKeysAreRemovedByPrefix(t *testing.T) {
	tuffettest.Reset(t)
	for _, key := range []string{"host/a", "host/b", "other"} {
		if err := kv.Set(key, []byte(key), kv.Forever); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int{2, 0} {
		if removed, err := kv.DeletePrefix("host/"); removed != want || err != nil {
			t.Error(removed, err)
		}
	}
	listed, err := kv.List("", "", 9)
	if err != nil || len(listed) != 1 || listed[0].Key != "other" || string(listed[0].Value) != "other" || listed[0].Revision == 0 {
		t.Error(listed, err)
	}
}

func TestSharedNamespaces(t *testing.T) {
	tuffettest.Reset(t)
	const leases = kv.Shared("leases")
	if err := leases.Set("a", []byte("ours"), kv.Forever); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := kv.Get("a"); ok {
		t.Fatal("it is in another namespace")
	}
	if sum, err := leases.Increment("n", 2, kv.Forever); sum != 2 || err != nil {
		t.Fatal(sum, err)
	}
	entry, _, _ := leases.GetEntry("a")
	if _, ok, err := leases.Swap("a", entry.Revision, []byte("theirs"), kv.Forever); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, ok, err := leases.Create("n", nil, kv.Forever); ok || err != nil {
		t.Fatal(ok, err)
	}
	listed, err := leases.List("", "", 9)
	if len(listed) != 2 || listed[0].Key != "a" || string(listed[0].Value) != "theirs" || listed[1].Key != "n" || err != nil {
		t.Fatal(listed, err)
	}
	if err := leases.Delete("a"); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := leases.Get("a"); ok || err != nil {
		t.Fatal(ok, err)
	}
}

func TestMetrics(t *testing.T) {
	tuffettest.Reset(t)
	if err := errors.Join(
		metrics.Add("hits", 1, "a", "x", "b", "y"), metrics.Add("hits", 2, "b", "y", "a", "x"), metrics.Set("size", 1.5),
	); err != nil {
		t.Fatal(err)
	}
	if err := metrics.Add("hits", 1, "a"); !errors.Is(err, tuffet.ErrBadArgument) {
		t.Fatal(err)
	}
	if hits, ok := tuffettest.Metric("hits", "a", "x", "b", "y"); hits != 3 || !ok {
		t.Fatal(hits, ok)
	}
	if size, ok := tuffettest.Metric("size"); size != 1.5 || !ok {
		t.Fatal(size, ok)
	}
	if _, ok := tuffettest.Metric("hits"); ok {
		t.Fatal("it has other labels")
	}
}

func TestHistory(t *testing.T) {
	tuffettest.Reset(t)
	want := []history.PastRequest{{Operation: tuffet.Write, Path: "a", Outcome: tuffet.TimedOut, EndedAgo: time.Second}}
	tuffettest.SetHistory(want...)
	if got, err := history.Recent(); !reflect.DeepEqual(got, want) || err != nil {
		t.Fatal(got, err)
	}
}

func TestTheContentOfAnUpload(t *testing.T) {
	tuffettest.Reset(t)
	if _, err := upload.Read(0, 1); !errors.Is(err, tuffet.ErrWrongPhase) {
		t.Fatal(err)
	}
	tuffettest.Upload("boot", "a", "content")
	for _, part := range []struct {
		offset uint64
		length uint32
		want   string
	}{{3, 2, "te"}, {5, 9, "nt"}, {9, 1, ""}} {
		if got, err := upload.Read(part.offset, part.length); string(got) != part.want || err != nil {
			t.Error(part, got, err)
		}
	}
}

func TestAnswers(t *testing.T) {
	if got := tuffet.Files(tuffet.File("boot", "a")); !reflect.DeepEqual(got, tuffet.Serve(tuffet.File("boot", "a"))) {
		t.Error(got)
	}
	if got := tuffet.Files().ElseNext().With(tuffet.Profile{Burst: 1}); reflect.DeepEqual(got, tuffet.Files()) {
		t.Error(got)
	}
	if tuffet.Rename("a") == tuffet.Rename("a").NextFree() {
		t.Error("the next free name is another answer")
	}
	for text, want := range map[string]string{
		"a\nb\x7f": "a b ", "a" + strings.Repeat("ä", 150): "a" + strings.Repeat("ä", 99), strings.Repeat("x", 200): strings.Repeat("x", 200),
	} {
		if got := tuffet.OneLine(text); got != want {
			t.Errorf("%q is not %q", got, want)
		}
	}
}

func TestMACs(t *testing.T) {
	client := tuffettest.Request("a").Client
	client.MACs = tuffettest.MACs("02:00:5e:10:00:0a")
	network := []tuffet.MAC{{Address: "02:00:5e:10:00:0a", Source: tuffet.NeighbourTable}}
	claimed := []tuffet.MAC{{Address: "02:00:5e:10:00:0b", Source: tuffet.RequestedName}}
	client.MACs.Claimed = claimed
	for address, want := range map[string]bool{
		"02:00:5e:10:00:0a": true, "02-00-5E-10-00-0A": true, "0200.5e10.000A": true, "02005E10000a": true,
		"02:00:5e:10:00:0b": false, "": false, "02:00": false,
	} {
		if client.HasMAC(address) != want {
			t.Errorf("%q is not %v", address, want)
		}
	}
	got := [][]tuffet.MAC{client.NetworkMACs(), client.ClaimedMACs(), client.AnyMACs()}
	if want := [][]tuffet.MAC{network, claimed, {network[0], claimed[0]}}; !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
	client.MACs = nil
	if got := client.AnyMACs(); len(got) != 0 {
		t.Error(got)
	}
	for _, forgotten := range []func(){
		func() { client.HasMAC("02:00:5e:10:00:0a") }, func() { client.NetworkMACs() }, func() { client.ClaimedMACs() },
	} {
		func() {
			defer func() {
				if value := fmt.Sprint(recover()); !strings.Contains(value, "the grant client-mac") {
					t.Error(value)
				}
			}()
			forgotten()
		}()
	}
}

func TestErrors(t *testing.T) {
	var err error = &tuffet.Error{Code: "something-new", Message: "it is new"}
	var code tuffet.Code
	if !errors.As(err, &code) || code != "something-new" || err.Error() != "it is new" || errors.Is(err, tuffet.ErrFull) {
		t.Error(err, code)
	}
}

func TestFiles(t *testing.T) {
	tuffettest.Reset(t)
	tuffettest.PutFile("boot", "f", "text")
	if content, err := files.Read("boot", "f", 4); string(content) != "text" || err != nil {
		t.Fatal(content, err)
	}
	if _, err := files.Read("boot", "f", 3); !errors.Is(err, tuffet.ErrTooLarge) {
		t.Fatal(err)
	}
	if _, err := files.Stat("boot", "g"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	found, err := files.Stat("boot", "f")
	if found.Size != 4 || err != nil {
		t.Fatal(found, err)
	}
	if content, err := files.ReadAt("boot", "f", found.Version, 1, 9); string(content) != "ext" || err != nil {
		t.Fatal(content, err)
	}
	tuffettest.PutFile("boot", "f", "more")
	for _, path := range []string{"f", "g"} {
		if _, err := files.ReadAt("boot", path, found.Version, 1, 9); !errors.Is(err, tuffet.ErrChanged) {
			t.Error(path, err)
		}
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
		"http://a/b": tuffet.ErrTooLarge, "http://a/c": tuffet.ErrNotGranted, "ftp://a/": tuffet.ErrBadArgument,
		"http://": tuffet.ErrBadArgument, "http://a?b": tuffet.ErrBadArgument,
	} {
		if _, err := http.Get(url, 4); !errors.Is(err, want) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
