package tuffettest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type rule struct {
	MaxBytes uint64 `json:"max-bytes" tuffet:"required" minimum:"1" maximum:"100"`
	Comment  *string
}

type settings struct {
	Sink   string             `json:"sink" tuffet:"required" format:"granted-sink-name" description:"The sink."`
	Rules  []rule             `json:"rules"`
	Ratios map[string]float64 `json:"ratios"`
	Hidden bool               `json:"-"`
}

const schema = `{"type": "object", "additionalProperties": false, "required": ["sink"], "properties": {
	"sink": {"type": "string", "format": "granted-sink-name", "description": "The sink."},
	"rules": {"type": "array", "items": {
		"type": "object", "additionalProperties": false, "required": ["max-bytes"], "properties": {
			"max-bytes": {"type": "integer", "minimum": 1, "maximum": 100},
			"Comment": {"type": ["string", "null"]}}}},
	"ratios": {"type": "object", "additionalProperties": {"type": "number"}}}}`

// failing records what a test would fail with.
type failing struct {
	testing.TB
	errors []string
}

func (f *failing) Helper()                        {}
func (f *failing) Errorf(format string, _ ...any) { f.errors = append(f.errors, format) }

func TestTheFileIsComparedAndWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.schema.json")
	missing := &failing{TB: t}
	CheckSettingsSchema(missing, settings{}, path)
	if len(missing.errors) != 1 || !strings.Contains(missing.errors[0], "TUFFET_BLESS=1") {
		t.Errorf("%q", missing.errors)
	}
	if err := os.WriteFile(path, []byte(schema), 0o644); err != nil {
		t.Fatal(err)
	}
	CheckSettingsSchema(t, settings{}, path)
	t.Setenv("TUFFET_BLESS", "1")
	CheckSettingsSchema(t, settings{}, path)
	t.Setenv("TUFFET_BLESS", "")
	CheckSettingsSchema(t, settings{}, path)
	old := &failing{TB: t}
	CheckSettingsSchema(old, rule{}, path)
	if len(old.errors) != 1 {
		t.Errorf("%q", old.errors)
	}
}
