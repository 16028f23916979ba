package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tuffet"
)

type settings struct {
	Rules     []rule              `json:"rules"`
	Configure [][]json.RawMessage `json:"configure"`
	Observe   *string             `json:"observe"`
}

// A rule answers when the guest is asked about a path; the first that fits counts.
type rule struct {
	Hook hook `json:"hook" tuffet:"required"`
	// A path, or a prefix of paths and `*`.
	Path   string              `json:"path" tuffet:"required"`
	Do     [][]json.RawMessage `json:"do"`
	Answer answer              `json:"answer" tuffet:"required"`
}

func (r *rule) fits(asked hook, path string) bool {
	if prefix, ok := strings.CutSuffix(r.Path, "*"); ok {
		return asked == r.Hook && strings.HasPrefix(path, prefix)
	}
	return asked == r.Hook && path == r.Path
}

type hook string

const (
	authorize    hook = "authorize"
	resolve      hook = "resolve"
	acceptUpload hook = "accept-upload"
)

func (h *hook) UnmarshalText(text []byte) error {
	*h = hook(text)
	if _, ok := answers[*h]; !ok {
		return fmt.Errorf("there is no hook %q", text)
	}
	return nil
}

// The answers that a hook can give.
var answers = map[hook][]string{
	authorize:    {"abstain", "allow", "deny", "drop", "tell"},
	resolve:      {"abstain", "files", "content", "bytes", "deny", "tell"},
	acceptUpload: {"abstain", "accept", "rename", "deny", "tell"},
}

// An answer is a word, or a word with more.
type answer struct {
	word   string
	limits tuffet.Limits
	denial tuffet.Denial
	files  []tuffet.Target
	text   string
	count  int
}

func (a *answer) fits(asked hook) bool { return slices.Contains(answers[asked], a.word) }

func (a *answer) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &a.word) == nil {
		return a.known("abstain", "drop", "accept", "tell")
	}
	var more map[string]json.RawMessage
	if err := json.Unmarshal(text, &more); err != nil || len(more) != 1 {
		return fmt.Errorf("an answer is a word, or a map with one key, not %s", text)
	}
	for word, value := range more {
		a.word = word
		return a.read(value)
	}
	return nil
}

func (a *answer) known(words ...string) error {
	if !slices.Contains(words, a.word) {
		return fmt.Errorf("unknown answer `%s`; known here: %s", a.word, strings.Join(words, ", "))
	}
	return nil
}

func (a *answer) read(value json.RawMessage) error {
	switch a.word {
	case "allow":
		var limits struct {
			Blksize    uint16  `json:"blksize"`
			Windowsize uint16  `json:"windowsize"`
			Bytes      *uint64 `json:"bytes"`
		}
		err := tuffet.Decode(value, &limits)
		a.limits = tuffet.Limits{Blksize: limits.Blksize, Windowsize: limits.Windowsize, Bytes: limits.Bytes}
		return err
	case "deny":
		var denial struct {
			Code    code   `json:"code" tuffet:"required"`
			Message string `json:"message" tuffet:"required"`
			Reason  string `json:"reason" tuffet:"required"`
		}
		err := tuffet.Decode(value, &denial)
		a.denial = tuffet.Denial{Code: tuffet.ErrorCode(denial.Code), Message: denial.Message, Reason: denial.Reason}
		return err
	case "files":
		var files []string
		err := json.Unmarshal(value, &files)
		for _, file := range files {
			root, path, _ := strings.Cut(file, ":")
			a.files = append(a.files, tuffet.Target{Root: root, Path: path})
		}
		return err
	case "content", "rename":
		return json.Unmarshal(value, &a.text)
	case "bytes":
		return json.Unmarshal(value, &a.count)
	}
	return a.known("allow", "deny", "files", "content", "bytes", "rename")
}

type code tuffet.ErrorCode

func (c *code) UnmarshalText(text []byte) error {
	for known := tuffet.NotDefined; known <= tuffet.OptionRefused; known++ {
		if known.String() == string(text) {
			*c = code(known)
			return nil
		}
	}
	return fmt.Errorf("there is no code %q", text)
}
