package abi

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// The Go types of all records and variants of the interface but the cases of [Result].
var types = []reflect.Type{
	reflect.TypeFor[MAC](), reflect.TypeFor[MACAddresses](), reflect.TypeFor[Lease](), reflect.TypeFor[Arrival](),
	reflect.TypeFor[Client](), reflect.TypeFor[Request](), reflect.TypeFor[Denial](), reflect.TypeFor[Target](),
	reflect.TypeFor[Resolved](), reflect.TypeFor[SessionValues](), reflect.TypeFor[Profile](), reflect.TypeFor[Error](),
	reflect.TypeFor[Problem](), reflect.TypeFor[Verdict](), reflect.TypeFor[Content](), reflect.TypeFor[Candidate](),
	reflect.TypeFor[Selection](), reflect.TypeFor[Resolution](), reflect.TypeFor[Rendering](),
	reflect.TypeFor[LargeContent](), reflect.TypeFor[Upload](), reflect.TypeFor[Destination](),
	reflect.TypeFor[Acceptance](), reflect.TypeFor[DecidedRequest](), reflect.TypeFor[Progress](),
	reflect.TypeFor[Summary](), reflect.TypeFor[OtherEvent](), reflect.TypeFor[EventKind](), reflect.TypeFor[Event](),
	reflect.TypeFor[Entry](), reflect.TypeFor[Metadata](), reflect.TypeFor[PastRequest](),
	reflect.TypeFor[Label](), reflect.TypeFor[LabelledVerdict](), reflect.TypeFor[LabelledResolution](),
	reflect.TypeFor[Rendered](), reflect.TypeFor[Beginning](), reflect.TypeFor[MadePart](), reflect.TypeFor[Listed](),
}

// wit is what the interface defines: fields of records, cases of variants, the name of the case alone for enums.
type wit struct {
	version string
	kinds   map[string]string
	fields  map[string][]field
}

type field struct{ name, of string }

func read(t *testing.T) wit {
	// A copy of the SDK in a project has no WIT.
	text, err := os.ReadFile("../../../wit/policy.wit")
	if err != nil {
		t.Skip(err)
	}
	source := regexp.MustCompile(`//.*`).ReplaceAllString(string(text), "")
	read := wit{kinds: map[string]string{}, fields: map[string][]field{}}
	read.version = regexp.MustCompile(`package tuffet:policy@(.*);`).FindStringSubmatch(source)[1]
	for _, found := range regexp.MustCompile(`(record|variant|enum) ([a-z0-9-]+) \{([^}]*)\}`).FindAllStringSubmatch(source, -1) {
		kind, name := found[1], found[2]
		read.kinds[name] = kind
		// Without the commas of tuples, each is `NAME`, `NAME: TYPE` or `NAME(TYPE)`.
		for _, item := range strings.Split(strings.ReplaceAll(found[3], "tuple<string, string>", "pair"), ",") {
			parts := strings.FieldsFunc(item, func(c rune) bool { return strings.ContainsRune(" \n:()", c) })
			if len(parts) > 0 {
				read.fields[name] = append(read.fields[name], field{parts[0], strings.Join(parts[1:], "")})
			}
		}
	}
	return read
}

func inside(of, generic string) (string, bool) {
	inner, ok := strings.CutPrefix(of, generic+"<")
	return strings.TrimSuffix(inner, ">"), ok
}

// layout returns size and alignment of a type by the rules of the canonical ABI.
func (w wit) layout(t *testing.T, of string) (size, alignment uintptr) {
	if inner, ok := inside(of, "option"); ok {
		return w.variant(t, inner)
	}
	if strings.HasPrefix(of, "list<") {
		return 8, 4
	}
	switch of {
	case "bool", "u8":
		return 1, 1
	case "u16":
		return 2, 2
	case "u32":
		return 4, 4
	case "u64":
		return 8, 8
	case "string":
		return 8, 4
	case "pair":
		return 16, 4
	}
	switch w.kinds[of] {
	case "record":
		alignment = 1
		for _, field := range w.fields[of] {
			its, at := w.layout(t, field.of)
			size, alignment = aligned(size, at)+its, max(alignment, at)
		}
		return aligned(size, alignment), alignment
	case "variant":
		var payloads []string
		for _, field := range w.fields[of] {
			payloads = append(payloads, field.of)
		}
		return w.variant(t, payloads...)
	case "enum":
		return 1, 1
	}
	t.Fatalf("unknown type %q", of)
	return 0, 0
}

func (w wit) variant(t *testing.T, payloads ...string) (size, alignment uintptr) {
	alignment = 1
	for _, of := range payloads {
		if of != "" {
			its, at := w.layout(t, of)
			size, alignment = max(size, its), max(alignment, at)
		}
	}
	return aligned(aligned(1, alignment)+size, alignment), alignment
}

func aligned(offset, alignment uintptr) uintptr {
	return (offset + alignment - 1) / alignment * alignment
}

// name returns the Go type of a type of the WIT, in lower case.
func (w wit) name(of string) string {
	for _, generic := range []string{"option", "list"} {
		if inner, ok := inside(of, generic); ok && of != "list<u8>" {
			return generic + "[" + w.name(inner) + "]"
		}
	}
	switch of {
	case "string", "list<u8>":
		return "text"
	case "u8", "u16", "u32", "u64":
		return "uint" + of[1:]
	}
	if w.kinds[of] == "enum" {
		return "uint8"
	}
	return plain(of)
}

func plain(name string) string { return strings.ToLower(strings.ReplaceAll(name, "-", "")) }

func TestTypesLieInMemoryAsTheInterfaceSays(t *testing.T) {
	w, seen := read(t), map[string]reflect.Type{}
	for _, its := range types {
		seen[plain(its.Name())] = its
	}
	for name, kind := range w.kinds {
		its, ok := seen[plain(name)]
		if kind == "enum" {
			continue
		}
		if !ok {
			t.Errorf("there is no type for the %s %s", kind, name)
			continue
		}
		delete(seen, plain(name))
		size, alignment := w.layout(t, name)
		if its.Size() != size || uintptr(its.Align()) != alignment {
			t.Errorf("%s has %d bytes and alignment %d, and not %d and %d", name, its.Size(), its.Align(), size, alignment)
		}
		if kind == "variant" {
			w.checkVariant(t, name, its)
		} else {
			w.checkRecord(t, name, its)
		}
	}
	for name := range seen {
		t.Errorf("the interface has no %s", name)
	}
}

func (w wit) checkRecord(t *testing.T, name string, its reflect.Type) {
	offset := uintptr(0)
	for i, field := range w.fields[name] {
		if i+1 >= its.NumField() {
			t.Errorf("%s has no %s", its, field.name)
			return
		}
		got := its.Field(i + 1) // The first is structs.HostLayout.
		size, alignment := w.layout(t, field.of)
		offset = aligned(offset, alignment)
		of := strings.ReplaceAll(strings.ReplaceAll(got.Type.String(), "tuffet/internal/", ""), "abi.", "")
		if plain(got.Name) != plain(field.name) || strings.ToLower(of) != w.name(field.of) || got.Offset != offset {
			t.Errorf("%s.%s is %s at %d, and not %s: %s at %d", its, got.Name, got.Type, got.Offset, field.name, field.of, offset)
		}
		offset += size
	}
	if its.NumField() != len(w.fields[name])+1 {
		t.Errorf("%s has more fields than %s", its, name)
	}
}

func (w wit) checkVariant(t *testing.T, name string, its reflect.Type) {
	payload := its.Field(its.NumField() - 1)
	size, largest := uintptr(0), uintptr(1)
	for _, field := range w.fields[name] {
		if field.of != "" {
			its, alignment := w.layout(t, field.of)
			size, largest = max(size, its), max(largest, alignment)
		}
	}
	if payload.Offset != aligned(1, largest) || payload.Type.Size() != aligned(size, largest) || payload.Type.Kind() != reflect.Array {
		t.Errorf("the payload of %s has %d bytes at %d, and not %d at %d", name, payload.Type.Size(), payload.Offset, size, aligned(1, largest))
	}
}

// The values of results need at least the alignment of the error that may take their place.
func TestResultsBeginWhereTheirErrorsDo(t *testing.T) {
	for _, its := range []struct {
		offset, want uintptr
	}{
		{reflect.TypeFor[Result[Text]]().Field(2).Offset, 4}, {reflect.TypeFor[Result[Error]]().Field(2).Offset, 4},
		{reflect.TypeFor[Result[Option[Entry]]]().Field(2).Offset, 8},
		{reflect.TypeFor[Result[Option[Metadata]]]().Field(2).Offset, 8},
		{reflect.TypeFor[Result[LabelledVerdict]]().Field(2).Offset, 8},
		{reflect.TypeFor[Result[LabelledResolution]]().Field(2).Offset, 8},
		{reflect.TypeFor[Result[Beginning]]().Field(2).Offset, 8},
		{reflect.TypeFor[Result[MadePart]]().Field(2).Offset, 4},
		{reflect.TypeFor[Result[Acceptance]]().Field(2).Offset, 4},
		{reflect.TypeFor[Result[Rendered]]().Field(2).Offset, 4}, {reflect.TypeFor[Result[uint64]]().Field(2).Offset, 8},
	} {
		if its.offset != its.want {
			t.Error(its)
		}
	}
}

func TestTheSDKIsOfTheVersionOfTheInterface(t *testing.T) {
	w, count := read(t), 0
	err := filepath.WalkDir("../..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range regexp.MustCompile(`(?m)^//go:wasm(?:im|ex)port tuffet:policy/[a-z-]+@([^# ]+)`).FindAllSubmatch(text, -1) {
			if count++; string(found[1]) != w.version {
				t.Errorf("%s: %s is not %s", path, found[1], w.version)
			}
		}
		return err
	})
	if err != nil || count < 20 {
		t.Error(count, err)
	}
}
