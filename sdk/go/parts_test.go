package tuffet

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

type resolver struct{}

func (resolver) Configure([]byte) error               { return nil }
func (resolver) Resolve(*Request) (Resolution, error) { return Rendered("k"), nil }

type beginner struct{ resolver }

func (beginner) Begin(string) (Beginning, error) { return InParts(1), nil }

type maker struct{ beginner }

func (maker) Part(string, uint64, uint32) (Part, error) { return Bytes([]byte("x")), nil }
func (maker) Render(string) (Rendering, error) {
	return Content(nil).Named("n").Expiring(time.Second), nil
}

type parted struct{ resolver }

func (parted) Part(string, uint64, uint32) (Part, error) { return Bytes([]byte("x")), nil }

// A plugin without the hook resolve.
type alone struct{}

func (alone) Configure([]byte) error                    { return nil }
func (alone) Begin(string) (Beginning, error)           { return Whole(), nil }
func (alone) Part(string, uint64, uint32) (Part, error) { return Bytes(nil), nil }

func TestContentInPartsNeedsBothMethodsAndResolve(t *testing.T) {
	for _, each := range []struct {
		plugin Configurer
		why    string
	}{
		{maker{}, ""},
		{resolver{}, ""},
		{beginner{}, "has a method Begin, and no Part("},
		{parted{}, "has a method Part, and no Begin("},
		{alone{}, "and no method Resolve"},
	} {
		why := func() (why string) {
			defer func() {
				registered.configurer = nil
				if value := recover(); value != nil {
					why = value.(string)
				}
			}()
			Register(each.plugin)
			return ""
		}()
		if (why == "") != (each.why == "") || !strings.Contains(why, each.why) {
			t.Errorf("%T: %q", each.plugin, why)
		}
	}
	Register(maker{})
	if got := strings.Join(hooks(), ","); got != "resolve,render,render-parts" {
		t.Error(got)
	}
}

func TestTimesOfContent(t *testing.T) {
	if !reflect.DeepEqual(InParts(7).Named("n").Expiring(1500*time.Millisecond), InParts(7).Expiring(2*time.Second).Named("n")) {
		t.Error("times are rounded up to seconds")
	}
	for _, other := range []LargeContent{InParts(8), InParts(7).Named(""), InParts(7).Expiring(0)} {
		if reflect.DeepEqual(other, InParts(7)) {
			t.Error(other)
		}
	}
	if !reflect.DeepEqual(InParts(7).Expiring(-1), InParts(7)) {
		t.Error("a negative time is none")
	}
}
