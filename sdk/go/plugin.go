package tuffet

import "fmt"

// A Configurer checks the plugin's settings. The server calls it once for each instance, before any hook. Only the
// packages log and files work while it runs.
type Configurer interface {
	// Configure gets the plugin's block of the configuration as JSON, `{}` if there is none; see [Decode]. An error
	// made of [Problem] values points at the lines of the configuration.
	Configure(settings []byte) error
}

// An Authorizer decides whether a client may do what it requests. Of each hook, an error says that the plugin cannot answer: a
// service that it asks is away, or sent nonsense. on-error of the configuration decides then, and the server logs the error. A
// panic ends the instance, too, and after several of them the server stops calling the plugin.
type Authorizer interface {
	Authorize(*Request) (Verdict, error)
}

// A Resolver decides which file or content a client gets.
type Resolver interface {
	Resolve(*Request) (Resolution, error)
}

// A Renderer is a [Resolver] that makes the content for keys that it answers with, as [Rendered]: once for all requests with
// a key, and maybe in another instance. The content may depend on the key, the settings and the grants alone. A denial
// answers all requests that wait for it; the server keeps it no longer. tuffet.json lists it as "render".
type Renderer interface {
	Render(key string) (Rendering, error)
}

// An UploadGate decides whether a complete upload becomes visible.
type UploadGate interface {
	AcceptUpload(*Request, *Upload) (Acceptance, error)
}

// An Observer receives events after the fact, in the order in which they happened. The slice is empty only if the
// manifest has `"empty-batches": true`.
type Observer interface {
	Observe([]Event)
}

// The plugin of this component.
var registered struct {
	configurer Configurer
	authorizer Authorizer
	resolver   Resolver
	renderer   Renderer
	parts      PartsRenderer
	gate       UploadGate
	observer   Observer
}

// Register makes p the plugin of this component. Call it once, in an init function. It panics if p has no hook.
func Register(p Configurer) {
	if p == nil {
		panic("tuffet.Register: the plugin is nil")
	}
	if registered.configurer != nil {
		panic("tuffet.Register: a component has one plugin, and it is registered already")
	}
	registered.configurer = p
	registered.authorizer, _ = p.(Authorizer)
	registered.resolver, _ = p.(Resolver)
	registered.renderer, _ = p.(Renderer)
	registered.parts, _ = p.(PartsRenderer)
	registered.gate, _ = p.(UploadGate)
	registered.observer, _ = p.(Observer)
	if registered.renderer != nil && registered.resolver == nil {
		panic(fmt.Sprintf("tuffet.Register: %T has a method Render, and no method Resolve that could answer with its keys", p))
	}
	checkParts(p)
	if len(hooks()) == 0 {
		panic(fmt.Sprintf("tuffet.Register: %T has no hook: it needs a method Authorize, Resolve, AcceptUpload or Observe "+
			"with the parameters and the result of that hook", p))
	}
	checkDeclared(p)
}

// hooks returns what tuffet.json lists of the plugin: its hooks, render and render-parts.
func hooks() []string {
	var its []string
	for _, hook := range []struct {
		name string
		has  bool
	}{
		{"authorize", registered.authorizer != nil},
		{"resolve", registered.resolver != nil},
		{"render", registered.renderer != nil},
		{"render-parts", registered.parts != nil},
		{"accept-upload", registered.gate != nil},
		{"observe", registered.observer != nil},
	} {
		if hook.has {
			its = append(its, hook.name)
		}
	}
	return its
}
