// The reference guest in Go. ../README.md says what it does.
package main

import (
	"fmt"
	"maps"
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
		var err error
		if p.configured, err = p.commands.runAll(p.settings.Configure, nil, nil); err != nil {
			problems.Add(err.Error(), "configure")
		}
	}
	return problems.Err()
}

// answer returns the answer, and the results of the commands as JSON.
func (p *reference) answer(asked hook, request *tuffet.Request, upload *tuffet.Upload) (answer, string, error) {
	p.commands.calls++
	for i := range p.settings.Rules {
		if rule := &p.settings.Rules[i]; rule.fits(asked, request.Path) {
			done, err := p.commands.runAll(rule.Do, request, upload)
			if rule.Label != "" {
				tuffet.Label(rule.Label)
			}
			return rule.Answer, text(append(append([]any{}, p.configured...), done...)), err
		}
	}
	return answer{word: "abstain"}, "", nil
}

func (p *reference) Authorize(request *tuffet.Request) (tuffet.Verdict, error) {
	answer, told, err := p.answer(authorize, request, nil)
	if err != nil {
		return nil, err
	}
	switch answer.word {
	case "allow":
		return tuffet.Allow(answer.profile.lowered()), nil
	case "deny":
		return answer.denial.denial(), nil
	case "drop":
		return tuffet.Drop(answer.reason), nil
	case "tell":
		return tuffet.Deny(tuffet.AccessViolation, "told", told), nil
	}
	return tuffet.Abstain(), nil
}

func (p *reference) Resolve(request *tuffet.Request) (tuffet.Resolution, error) {
	answer, told, err := p.answer(resolve, request, nil)
	if err != nil {
		return nil, err
	}
	switch answer.word {
	case "serve":
		return answer.serve.resolution(request.Path), nil
	case "deny":
		return answer.denial.denial(), nil
	case "drop":
		return tuffet.Drop(answer.reason), nil
	case "tell":
		return tuffet.Content([]byte(told)), nil
	}
	return tuffet.Abstain(), nil
}

func (p *reference) Render(key string) (tuffet.Rendering, error) {
	render, denial := p.rendered(key)
	if denial != nil {
		return *denial, nil
	}
	done, err := p.commands.runAll(render.Do, nil, nil)
	if err != nil {
		return nil, err
	}
	results := text(done)
	if render.Deny != nil {
		return render.Deny.denial(), nil
	}
	if render.Content == nil {
		render.Content = &results
	}
	made := contents(render.Content, render.Bytes, render.Name)
	if render.TTLSeconds != nil {
		return made.Expiring(time.Duration(*render.TTLSeconds) * time.Second), nil
	}
	return made, nil
}

func (p *reference) Begin(key string) (tuffet.Beginning, error) {
	render, denial := p.rendered(key)
	if denial != nil {
		return *denial, nil
	}
	if render.Parts == nil {
		return tuffet.Whole(), nil
	}
	if _, err := p.commands.runAll(render.Do, nil, nil); err != nil {
		return nil, err
	}
	if render.Deny != nil {
		return render.Deny.denial(), nil
	}
	large := tuffet.InParts(*render.Parts)
	if render.Name != nil {
		large = large.Named(*render.Name)
	}
	if render.TTLSeconds != nil {
		large = large.Expiring(time.Duration(*render.TTLSeconds) * time.Second)
	}
	return large, nil
}

func (p *reference) Part(key string, offset uint64, length uint32) (tuffet.Part, error) {
	render, denial := p.rendered(key)
	if denial != nil {
		return *denial, nil
	}
	if _, err := p.commands.runAll(render.EachPart, nil, nil); err != nil {
		return nil, err
	}
	if render.EndsAt != nil && offset >= *render.EndsAt {
		return tuffet.Deny(tuffet.NotDefined, "it ends here", "on purpose"), nil
	}
	if render.PartBytes != nil {
		length = *render.PartBytes
	}
	bytes := make([]byte, length)
	for i := range bytes {
		bytes[i] = byte((offset + uint64(i)) % 251)
	}
	return tuffet.Bytes(bytes), nil
}

// rendered returns what is rendered for a key, or a denial.
func (p *reference) rendered(key string) (render, *tuffet.Denial) {
	p.commands.calls++
	for _, its := range []string{key, "*"} {
		if found, ok := p.settings.Renders[its]; ok {
			return found, nil
		}
	}
	return render{}, &tuffet.Denial{
		Code: tuffet.FileNotFound, Message: "no such content", Reason: fmt.Sprintf("no rule for the key %q", key),
	}
}

func (p *reference) AcceptUpload(request *tuffet.Request, upload *tuffet.Upload) (tuffet.Acceptance, error) {
	answer, told, err := p.answer(acceptUpload, request, upload)
	if err != nil {
		return nil, err
	}
	switch answer.word {
	case "accept":
		return tuffet.Accept(), nil
	case "rename":
		renaming := tuffet.Rename(strings.ReplaceAll(answer.rename.Path, "{sha256}", upload.SHA256))
		if answer.rename.NextFree {
			return renaming.NextFree(), nil
		}
		return renaming, nil
	case "deny":
		return answer.denial.denial(), nil
	case "tell":
		return tuffet.Deny(tuffet.AccessViolation, "told", told), nil
	}
	return tuffet.Abstain(), nil
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
	switch {
	case event.Started != nil:
		return shownDecided("started", event, event.Started)
	case event.Progressed != nil:
		its := event.Progressed
		return map[string]any{
			"ms": event.UnixMS, "progressed": its.RequestID, "sequence": event.Sequence, "size": its.Size,
			"transferred": its.Transferred,
		}
	case event.Other != nil:
		its := event.Other
		return map[string]any{
			"attributes": shownPairs(its.Attributes), "ms": event.UnixMS, "other": its.Kind,
			"request-id": orNull(its.RequestID), "sequence": event.Sequence,
		}
	}
	end := event.Finished
	tried := [][]string{}
	for _, target := range end.Tried {
		tried = append(tried, []string{target.Root, target.Path})
	}
	shown := shownDecided("finished", event, &end.DecidedRequest)
	maps.Copy(shown, map[string]any{
		"blksize": end.Blksize, "blocks": end.Blocks, "decision": end.Decision, "detail": orNull(end.Detail),
		"outcome": end.Outcome, "retransmissions": end.Retransmissions, "transferred": end.Transferred, "tried": tried,
		"tried-by": orNull(end.TriedBy), "windowsize": end.Windowsize,
	})
	return shown
}

func shownDecided(kind string, event *tuffet.Event, its *tuffet.DecidedRequest) map[string]any {
	var resolved any
	switch what := its.Resolved.(type) {
	case tuffet.Target:
		resolved = map[string]any{"file": []string{what.Root, what.Path}}
	case tuffet.ContentName:
		resolved = map[string]any{"content": orNull(string(what))}
	}
	return map[string]any{
		kind: its.Request.ID, "decided-by": orNull(its.DecidedBy), "ms": event.UnixMS, "path": its.Request.Path,
		"resolved": resolved, "sequence": event.Sequence, "size": its.Size,
	}
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
