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
	// What it renders, by key; `*` for any other.
	Renders map[string]render `json:"renders"`
}

type render struct {
	Do   [][]json.RawMessage `json:"do"`
	Name *string             `json:"name"`
	// The content; without it, the results of the commands.
	Content *string `json:"content"`
	// So many bytes instead.
	Bytes *int `json:"bytes"`
	// So many bytes in parts, instead of all that.
	Parts *uint64 `json:"parts"`
	// The bytes of a part; as many as the server asks for otherwise.
	PartBytes *uint32 `json:"part-bytes"`
	// What each part runs first.
	EachPart [][]json.RawMessage `json:"each-part"`
	// The part that begins here or behind it is refused.
	EndsAt     *uint64  `json:"ends-at"`
	TTLSeconds *uint32  `json:"ttl-seconds"`
	Deny       *refusal `json:"deny"`
}

type refusal struct {
	Code    code   `json:"code" tuffet:"required"`
	Message string `json:"message" tuffet:"required"`
	Reason  string `json:"reason" tuffet:"required"`
}

func (r *refusal) denial() tuffet.Denial {
	return tuffet.Denial{Code: tuffet.ErrorCode(r.Code), Message: r.Message, Reason: r.Reason}
}

// A session is what an allow says about it.
type session struct {
	Blksize       uint16   `json:"blksize"`
	Windowsize    uint16   `json:"windowsize"`
	Timeout       uint8    `json:"timeout"`
	Bytes         *uint64  `json:"bytes"`
	Floors        values   `json:"floors"`
	Overrides     values   `json:"overrides"`
	Burst         uint16   `json:"burst"`
	Rate          uint64   `json:"rate"`
	RefuseOptions []string `json:"refuse-options"`
}

type values struct {
	Blksize    uint16 `json:"blksize"`
	Windowsize uint16 `json:"windowsize"`
	Timeout    uint8  `json:"timeout"`
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
	resolve:      {"abstain", "files", "files-else-next", "content", "bytes", "named", "rendered", "deny", "tell"},
	acceptUpload: {"abstain", "accept", "rename", "deny", "tell"},
}

// An answer is a word, or a word with more.
type answer struct {
	word    string
	profile tuffet.Profile
	denial  tuffet.Denial
	files   []tuffet.Target
	name    string
	text    string
	count   int
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
		var its session
		err := tuffet.Decode(value, &its)
		a.profile = tuffet.Profile{
			Blksize: its.Blksize, Windowsize: its.Windowsize, Timeout: its.Timeout, Bytes: its.Bytes,
			Floors: tuffet.SessionValues(its.Floors), Overrides: tuffet.SessionValues(its.Overrides),
			Burst: its.Burst, Rate: its.Rate, RefuseOptions: its.RefuseOptions,
		}
		return err
	case "deny":
		var denial refusal
		err := tuffet.Decode(value, &denial)
		a.denial = denial.denial()
		return err
	case "named":
		var named struct {
			Name    string `json:"name" tuffet:"required"`
			Content string `json:"content" tuffet:"required"`
		}
		err := tuffet.Decode(value, &named)
		a.name, a.text = named.Name, named.Content
		return err
	case "files", "files-else-next":
		var files []string
		err := json.Unmarshal(value, &files)
		for _, file := range files {
			root, path, _ := strings.Cut(file, ":")
			a.files = append(a.files, tuffet.Target{Root: root, Path: path})
		}
		return err
	case "content", "rename", "rendered":
		return json.Unmarshal(value, &a.text)
	case "bytes":
		return json.Unmarshal(value, &a.count)
	}
	return a.known("allow", "deny", "files", "files-else-next", "content", "bytes", "named", "rendered", "rename")
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
