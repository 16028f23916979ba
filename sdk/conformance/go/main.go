// The reference guest in Go. ../README.md says what it does.
package main

import (
	"fmt"
	"strings"
	"time"

	"tuffet"
	"tuffet/sinks"
)

type reference struct {
	settings   settings
	commands   commands
	configured []any
}

func init() { tuffet.Register(&reference{}) }

func main() {}

func (p *reference) Configure(given []byte) error {
	p.settings = settings{}
	if err := tuffet.Decode(given, &p.settings); err != nil {
		return err
	}
	var problems tuffet.Problems
	for i, rule := range p.settings.Rules {
		if rule.Path == "" {
			problems.Add("a path is needed", "rules", i, "path")
		}
		if !rule.Answer.fits(rule.Hook) {
			problems.Add(fmt.Sprintf("%s cannot answer %s", rule.Hook, rule.Answer.word), "rules", i, "answer")
		}
	}
	if len(problems) == 0 {
		p.configured = p.commands.runAll(p.settings.Configure, nil, nil)
	}
	return problems.Err()
}

// answer returns the answer, and the results of the commands as JSON.
func (p *reference) answer(asked hook, request *tuffet.Request, upload *tuffet.Upload) (answer, string) {
	p.commands.calls++
	for i := range p.settings.Rules {
		if rule := &p.settings.Rules[i]; rule.fits(asked, request.Path) {
			results := append(append([]any{}, p.configured...), p.commands.runAll(rule.Do, request, upload)...)
			return rule.Answer, text(results)
		}
	}
	return answer{word: "abstain"}, ""
}

func (p *reference) Authorize(request *tuffet.Request) tuffet.Verdict {
	switch answer, told := p.answer(authorize, request, nil); answer.word {
	case "allow":
		return tuffet.Allow(answer.profile)
	case "deny":
		return answer.denial
	case "drop":
		return tuffet.Drop()
	case "tell":
		return tuffet.Deny(tuffet.AccessViolation, "told", told)
	}
	return tuffet.Abstain()
}

func (p *reference) Resolve(request *tuffet.Request) tuffet.Resolution {
	switch answer, told := p.answer(resolve, request, nil); answer.word {
	case "files":
		return tuffet.Files(answer.files...)
	case "files-else-next":
		return tuffet.FilesElseNext(answer.files...)
	case "content":
		return tuffet.Content([]byte(answer.text))
	case "bytes":
		return tuffet.Content(counted(answer.count))
	case "named":
		return tuffet.NamedContent(answer.name, []byte(answer.text))
	case "rendered":
		return tuffet.Rendered(strings.ReplaceAll(answer.text, "{path}", request.Path))
	case "deny":
		return answer.denial
	case "tell":
		return tuffet.Content([]byte(told))
	}
	return tuffet.Abstain()
}

func (p *reference) Render(key string) tuffet.Rendering {
	render, denial := p.rendered(key)
	if denial != nil {
		return denial
	}
	content := []byte(text(p.commands.runAll(render.Do, nil, nil)))
	switch {
	case render.Deny != nil:
		return render.Deny.denial()
	case render.Bytes != nil:
		content = counted(*render.Bytes)
	case render.Content != nil:
		content = []byte(*render.Content)
	}
	contents := tuffet.Content(content)
	if render.Name != nil {
		contents = tuffet.NamedContent(*render.Name, content)
	}
	if render.TTLSeconds != nil {
		return tuffet.Expiring(contents, time.Duration(*render.TTLSeconds)*time.Second)
	}
	return contents
}

func (p *reference) Begin(key string) tuffet.Beginning {
	render, denial := p.rendered(key)
	if denial != nil {
		return denial
	}
	if render.Parts == nil {
		return tuffet.Whole()
	}
	p.commands.runAll(render.Do, nil, nil)
	if render.Deny != nil {
		return render.Deny.denial()
	}
	large := tuffet.InParts(*render.Parts)
	if render.Name != nil {
		large = large.Named(*render.Name)
	}
	if render.TTLSeconds != nil {
		large = large.Expiring(time.Duration(*render.TTLSeconds) * time.Second)
	}
	return large
}

func (p *reference) Part(key string, offset uint64, length uint32) tuffet.Part {
	render, denial := p.rendered(key)
	if denial != nil {
		return denial
	}
	p.commands.runAll(render.EachPart, nil, nil)
	if render.EndsAt != nil && offset >= *render.EndsAt {
		return tuffet.Deny(tuffet.NotDefined, "it ends here", "on purpose")
	}
	if render.PartBytes != nil {
		length = *render.PartBytes
	}
	bytes := make([]byte, length)
	for i := range bytes {
		bytes[i] = byte((offset + uint64(i)) % 251)
	}
	return tuffet.Bytes(bytes)
}

// rendered returns what is rendered for a key, or a denial.
func (p *reference) rendered(key string) (render, tuffet.Answer) {
	p.commands.calls++
	for _, its := range []string{key, "*"} {
		if found, ok := p.settings.Renders[its]; ok {
			return found, nil
		}
	}
	return render{}, tuffet.Deny(tuffet.FileNotFound, "no such content", fmt.Sprintf("no rule for the key %q", key))
}

// counted returns so many bytes: 0 to 255, again and again.
func counted(count int) []byte {
	bytes := make([]byte, count)
	for i := range bytes {
		bytes[i] = byte(i)
	}
	return bytes
}

func (p *reference) AcceptUpload(request *tuffet.Request, upload *tuffet.Upload) tuffet.Acceptance {
	switch answer, told := p.answer(acceptUpload, request, upload); answer.word {
	case "accept":
		return tuffet.Accept()
	case "rename":
		return tuffet.Rename(strings.ReplaceAll(answer.text, "{sha256}", upload.SHA256))
	case "deny":
		return answer.denial
	case "tell":
		return tuffet.Deny(tuffet.AccessViolation, "told", told)
	}
	return tuffet.Abstain()
}

func (p *reference) Observe(events []tuffet.Event) {
	if p.settings.Observe == nil {
		return
	}
	for i := range events {
		if err := sinks.Emit(*p.settings.Observe, shown(&events[i])); err != nil {
			panic(err)
		}
	}
}

func shown(event *tuffet.Event) map[string]any {
	if start := event.Started; start != nil {
		return map[string]any{
			"started": start.Request.ID, "path": start.Request.Path, "resolved": start.Resolved,
			"verdict-by": start.VerdictBy, "size": start.Size, "ms": event.UnixMS,
		}
	}
	if progress := event.Progressed; progress != nil {
		return map[string]any{"progressed": progress.ID, "bytes": progress.Bytes, "size": progress.Size}
	}
	end := event.Finished
	return map[string]any{
		"finished": end.Request.ID, "path": end.Request.Path, "outcome": end.Outcome.String(), "detail": end.Detail,
		"decision": end.Decision.String(), "resolved": end.Resolved, "verdict-by": end.VerdictBy, "size": end.Size,
		"bytes": end.Bytes, "blocks": end.Blocks, "blksize": end.Blksize, "windowsize": end.Windowsize,
		"retransmissions": end.Retransmissions, "ms": event.UnixMS,
	}
}
