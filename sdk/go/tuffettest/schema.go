package tuffettest

import (
	"encoding"
	"encoding/json"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// CheckSettingsSchema fails the test unless the file, which the build puts into the component, has the JSON Schema of
// these settings, a struct that [tuffet.Decode] reads. With TUFFET_BLESS=1 in the environment, it writes the file.
//
// Besides the tags json and `tuffet:"required"`, fields may have description, format (listener-name, root-name,
// granted-root-name, granted-sink-name), minimum and maximum.
func CheckSettingsSchema(t testing.TB, settings any, path string) {
	t.Helper()
	text, err := json.MarshalIndent(schemaOf(reflect.TypeOf(settings)), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("TUFFET_BLESS") != "" {
		if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var found, wanted any
	written, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(written, &found)
	}
	if json.Unmarshal(text, &wanted) != nil || err != nil || !reflect.DeepEqual(found, wanted) {
		t.Errorf("%s is not the schema of %T; run this test with TUFFET_BLESS=1 to write it", path, settings)
	}
}

func schemaOf(of reflect.Type) map[string]any {
	switch pointer := reflect.PointerTo(of); {
	case pointer.Implements(reflect.TypeFor[json.Unmarshaler]()):
		return map[string]any{}
	case pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return map[string]any{"type": "string"}
	}
	switch of.Kind() {
	case reflect.Pointer:
		schema := schemaOf(of.Elem())
		if kind, ok := schema["type"].(string); ok {
			schema["type"] = []string{kind, "null"}
		}
		return schema
	case reflect.Struct:
		return structSchema(of)
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaOf(of.Elem())}
	case reflect.Slice, reflect.Array:
		if of.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": "string"}
		}
		return map[string]any{"type": "array", "items": schemaOf(of.Elem())}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}
	default:
		return map[string]any{}
	}
}

func structSchema(of reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, field := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() || field.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = field.Name
		}
		schema := schemaOf(field.Type)
		for _, key := range []string{"description", "format"} {
			if text, ok := field.Tag.Lookup(key); ok {
				schema[key] = text
			}
		}
		for _, key := range []string{"minimum", "maximum"} {
			if number, err := strconv.ParseFloat(field.Tag.Get(key), 64); err == nil {
				schema[key] = number
			}
		}
		properties[name] = schema
		if field.Tag.Get("tuffet") == "required" {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "additionalProperties": false, "required": required, "properties": properties}
}
