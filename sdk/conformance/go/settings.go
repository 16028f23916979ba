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
	Code    errorCode `json:"code" tuffet:"required"`
	Message string    `json:"message" tuffet:"required"`
	Reason  string    `json:"reason" tuffet:"required"`
}

func (r *refusal) denial() tuffet.Denial {
	return tuffet.Denial{Code: tuffet.ErrorCode(r.Code), Message: r.Message, Reason: r.Reason}
}

type profile struct {
	Ceilings      values            `json:"ceilings"`
	Floors        values            `json:"floors"`
	Overrides     values            `json:"overrides"`
	MaxSize       *uint64           `json:"max-size"`
	Burst         uint16            `json:"burst"`
	Rate          uint64            `json:"rate"`
	RefuseOptions []string          `json:"refuse-options"`
	Attributes    map[string]string `json:"attributes"`
}

type values struct {
	Blksize    uint16 `json:"blksize"`
	Windowsize uint16 `json:"windowsize"`
	Timeout    uint8  `json:"timeout"`
}

func (p *profile) lowered() tuffet.Profile {
	its := tuffet.Profile{
		Ceilings: tuffet.SessionValues(p.Ceilings), Floors: tuffet.SessionValues(p.Floors),
		Overrides: tuffet.SessionValues(p.Overrides), MaxSize: p.MaxSize, Burst: p.Burst, Rate: p.Rate,
		RefuseOptions: p.RefuseOptions,
	}
	for name, value := range p.Attributes {
		its.Attributes = append(its.Attributes, tuffet.Pair{Name: name, Value: value})
	}
	return its
}

type selection struct {
	Candidates []candidate `json:"candidates"`
	ElseNext   bool        `json:"else-next"`
	Profile    *profile    `json:"profile"`
}

// A candidate is ROOT:PATH, or a map.
type candidate struct {
	file *tuffet.Target
	more struct {
		Content   *string `json:"content"`
		Bytes     *int    `json:"bytes"`
		Name      *string `json:"name"`
		Rendering *string `json:"rendering"`
	}
}

func (c *candidate) UnmarshalJSON(text []byte) error {
	var file string
	if json.Unmarshal(text, &file) == nil {
		root, path, _ := strings.Cut(file, ":")
		c.file = &tuffet.Target{Root: root, Path: path}
		return nil
	}
	if err := tuffet.Decode(text, &c.more); err != nil {
		return err
	}
	if c.more.Content == nil && c.more.Bytes == nil && c.more.Rendering == nil {
		return fmt.Errorf("a candidate is ROOT:PATH, content, bytes or a rendering, not %s", text)
	}
	return nil
}

// resolution returns the answer to a request for this path.
func (s *selection) resolution(path string) tuffet.Resolution {
	var candidates []tuffet.Candidate
	for _, its := range s.Candidates {
		switch {
		case its.file != nil:
			candidates = append(candidates, *its.file)
		case its.more.Rendering != nil:
			candidates = append(candidates, tuffet.Rendered(strings.ReplaceAll(*its.more.Rendering, "{path}", path)))
		default:
			candidates = append(candidates, contents(its.more.Content, its.more.Bytes, its.more.Name))
		}
	}
	serve := tuffet.Serve(candidates...)
	if s.ElseNext {
		serve = serve.ElseNext()
	}
	if s.Profile != nil {
		serve = serve.With(s.Profile.lowered())
	}
	return serve
}

// contents returns a text, or so many bytes.
func contents(text *string, count *int, name *string) tuffet.Contents {
	var content []byte
	if count != nil {
		content = make([]byte, *count)
		for i := range content {
			content[i] = byte(i)
		}
	} else {
		content = []byte(*text)
	}
	if name != nil {
		return tuffet.Content(content).Named(*name)
	}
	return tuffet.Content(content)
}

// A rule answers when the guest is asked about a path; the first that fits counts.
type rule struct {
	Hook hook `json:"hook" tuffet:"required"`
	// A path, or a prefix of paths and `*`.
	Path   string              `json:"path" tuffet:"required"`
	Do     [][]json.RawMessage `json:"do"`
	Answer answer              `json:"answer" tuffet:"required"`
	Label  string              `json:"label"`
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
	resolve:      {"abstain", "serve", "deny", "drop", "tell"},
	acceptUpload: {"abstain", "accept", "rename", "deny", "tell"},
}

// An answer is a word, or a word with more.
type answer struct {
	word    string
	profile profile
	denial  refusal
	reason  string
	serve   selection
	rename  struct {
		Path     string `json:"path" tuffet:"required"`
		NextFree bool   `json:"next-free"`
	}
}

func (a *answer) fits(asked hook) bool { return slices.Contains(answers[asked], a.word) }

func (a *answer) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &a.word) == nil {
		return a.known("abstain", "accept", "tell")
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
		return tuffet.Decode(value, &a.profile)
	case "deny":
		return tuffet.Decode(value, &a.denial)
	case "drop":
		return json.Unmarshal(value, &a.reason)
	case "serve":
		return tuffet.Decode(value, &a.serve)
	case "rename":
		return tuffet.Decode(value, &a.rename)
	}
	return a.known("allow", "deny", "drop", "serve", "rename")
}

type errorCode tuffet.ErrorCode

func (c *errorCode) UnmarshalText(text []byte) error {
	for known := tuffet.NotDefined; known <= tuffet.OptionRefused; known++ {
		if known.String() == string(text) {
			*c = errorCode(known)
			return nil
		}
	}
	return fmt.Errorf("there is no code %q", text)
}
