package tuffet_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"tuffet"
)

type level uint8

func (l *level) UnmarshalText(text []byte) error {
	if string(text) != "high" {
		return fmt.Errorf("there is no level %q", text)
	}
	*l = 1
	return nil
}

type given struct {
	Name  string            `json:"name" tuffet:"required"`
	Count uint8             `json:"count"`
	Sum   int64             `json:"sum"`
	Big   *bool             `json:"big"`
	List  []struct{ A int } `json:"list"`
	Map   map[string]level  `json:"map/s"`
	Any   any               `json:"any"`
	inner string
}

func TestSettingsBecomeAStruct(t *testing.T) {
	var got given
	text := `{"name":"a","count":255,"sum":-9223372036854775808,"big":true,"list":[{"A":1}],"map/s":{"x":"high"},"any":[1]}`
	if err := tuffet.Decode([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	yes := true
	want := given{"a", 255, -9223372036854775808, &yes, []struct{ A int }{{1}}, map[string]level{"x": 1}, []any{1.0}, ""}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v", got)
	}
}

func TestEverythingThatIsWrongIsFoundAtItsPlace(t *testing.T) {
	text := `{"count":256,"sum":1.5,"big":null,"list":[{"A":"x"},{"B":1},3],"map/s":{"y":"low"},"more":1,"inner":"x"}`
	var problems tuffet.Problems
	if err := tuffet.Decode([]byte(text), new(given)); !errors.As(err, &problems) {
		t.Fatal(err)
	}
	want := tuffet.Problems{
		{"/count", "256 is not a whole number of 0 to 255"},
		{"/inner", "unknown key `inner`; known here: name, count, sum, big, list, map/s, any"},
		{"/list/0/A", `"x" is not a whole number of at most 9223372036854775807`},
		{"/list/1/B", "unknown key `B`; known here: A"},
		{"/list/2", "3 is no map"},
		{"/map~1s/y", `there is no level "low"`},
		{"/more", "unknown key `more`; known here: name, count, sum, big, list, map/s, any"},
		{"/sum", "1.5 is not a whole number of at most 9223372036854775807"},
		{"", "the key `name` is missing"},
	}
	if !reflect.DeepEqual(problems, want) {
		for _, problem := range problems {
			t.Errorf("%q, %q", problem.Pointer, problem.Message)
		}
	}
}

func TestOneOfManyProblemsIsFound(t *testing.T) {
	var problem tuffet.Problem
	err := fmt.Errorf("in all: %w", tuffet.Problems{{"/a", "one"}, {"/b", "two"}})
	if !errors.As(err, &problem) || problem.Pointer != "/a" || !errors.Is(err, tuffet.Problem{"/b", "two"}) {
		t.Error(err)
	}
}

func TestSettingsOfAnotherKind(t *testing.T) {
	for text, want := range map[string]string{
		"[]":   ": a list is no map",
		"null": ": nothing is no map",
		"{":    ": the settings are no JSON: unexpected EOF",
	} {
		if err := tuffet.Decode([]byte(text), new(given)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestPointersEscapeKeys(t *testing.T) {
	if got := tuffet.Pointer("a/b", 0, "~c"); got != "/a~1b/0/~0c" {
		t.Fatal(got)
	}
}
