package tuffet

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Decode reads the settings into the struct that target points to, with the rules of encoding/json for names, and finds
// everything that is wrong at once: unknown keys, wrong types, numbers out of range, and missing keys of fields with
// the tag `tuffet:"required"`. What it returns is nil or [Problems], which Configure returns as it is.
//
// Names must match exactly. A field whose type has UnmarshalJSON or UnmarshalText reads itself, and its error becomes a
// problem at its place.
func Decode(settings []byte, target any) error {
	pointer := reflect.ValueOf(target)
	if pointer.Kind() != reflect.Pointer || pointer.IsNil() {
		panic(fmt.Sprintf("tuffet.Decode: a pointer to a struct is needed, not %T", target))
	}
	decoder := json.NewDecoder(bytes.NewReader(settings))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return Problems{{"", "the settings are no JSON: " + err.Error()}}
	}
	var problems Problems
	check(pointer.Type().Elem(), value, nil, &problems)
	if len(problems) > 0 {
		return problems
	}
	if err := json.Unmarshal(settings, target); err != nil {
		return Problems{{"", err.Error()}}
	}
	return nil
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// check compares a value with the type that is to hold it.
func check(want reflect.Type, value any, path []any, problems *Problems) {
	if reflect.PointerTo(want).Implements(jsonUnmarshaler) || reflect.PointerTo(want).Implements(textUnmarshaler) {
		decodes(want, value, "", path, problems)
		return
	}
	switch want.Kind() {
	case reflect.Pointer:
		if value != nil {
			check(want.Elem(), value, path, problems)
		}
	case reflect.Struct:
		if object, ok := value.(map[string]any); ok {
			checkStruct(want, object, path, problems)
		} else {
			problems.Add(shown(value)+" is no map", path...)
		}
	case reflect.Map:
		object, ok := value.(map[string]any)
		if !ok {
			problems.Add(shown(value)+" is no map", path...)
		}
		for _, key := range slices.Sorted(maps.Keys(object)) {
			check(want.Elem(), object[key], step(path, key), problems)
		}
	case reflect.Slice, reflect.Array:
		list, ok := value.([]any)
		if !ok && want.Elem().Kind() == reflect.Uint8 {
			decodes(want, value, "a text in base64", path, problems)
		} else if !ok {
			problems.Add(shown(value)+" is no list", path...)
		}
		for i, item := range list {
			check(want.Elem(), item, step(path, i), problems)
		}
	case reflect.String:
		decodes(want, value, "a text", path, problems)
	case reflect.Bool:
		decodes(want, value, "true or false", path, problems)
	case reflect.Float32, reflect.Float64:
		decodes(want, value, "a number", path, problems)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		decodes(want, value, fmt.Sprintf("a whole number of 0 to %d", ^uint64(0)>>(64-want.Bits())), path, problems)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		decodes(want, value, fmt.Sprintf("a whole number of at most %d", ^uint64(0)>>(65-want.Bits())), path, problems)
	}
}

func checkStruct(want reflect.Type, object map[string]any, path []any, problems *Problems) {
	known := map[string]reflect.StructField{}
	var names []string
	for _, field := range reflect.VisibleFields(want) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() || field.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = field.Name
		}
		known[name] = field
		names = append(names, name)
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		field, ok := known[key]
		if !ok {
			problems.Add(fmt.Sprintf("unknown key `%s`; known here: %s", key, strings.Join(names, ", ")), step(path, key)...)
			continue
		}
		check(field.Type, object[key], step(path, key), problems)
	}
	for _, name := range names {
		if _, given := object[name]; !given && known[name].Tag.Get("tuffet") == "required" {
			problems.Add(fmt.Sprintf("the key `%s` is missing", name), path...)
		}
	}
}

// decodes checks that encoding/json, or the type itself, can read the value.
func decodes(want reflect.Type, value any, wanted string, path []any, problems *Problems) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, reflect.New(want).Interface())
	}
	switch {
	// A JSON null leaves any Go value as it is.
	case err == nil && (value != nil || wanted == ""):
	case wanted == "":
		problems.Add(err.Error(), path...)
	default:
		problems.Add(shown(value)+" is not "+wanted, path...)
	}
}

// step returns a longer path; others may share the shorter one.
func step(path []any, next any) []any {
	return append(path[:len(path):len(path)], next)
}

// shown describes a value in a message.
func shown(value any) string {
	switch value := value.(type) {
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	case nil:
		return "nothing"
	default:
		text, _ := json.Marshal(value)
		if len(text) > 60 {
			text = append(text[:57], "..."...)
		}
		return string(text)
	}
}
