package tuffet

import "fmt"

// A PartsRenderer is a [Resolver] that makes large content in parts: what is larger than the bound on content, or takes
// longer than a call may. Clients read what there is while the rest is made. tuffet.json lists it as "render-parts".
type PartsRenderer interface {
	// Begin says what the content for a key comes to. The server calls it once for all requests with the key, before Render.
	Begin(key string) (Beginning, error)
	// Part makes bytes from offset on: at least one, at most length. The server asks for one part after the other, each time
	// with the limits of a call, and maybe in another instance: the bytes may depend on the arguments, the settings and the
	// grants alone. A denial, or a failed call, ends all transfers of this content with an ERROR.
	Part(key string, offset uint64, length uint32) (Part, error)
}

// checkParts panics if p has a part of [PartsRenderer] that cannot be used.
func checkParts(p any) {
	if registered.parts != nil {
		if registered.resolver == nil {
			panic(fmt.Sprintf("tuffet.Register: %T has the methods Begin and Part, and no method Resolve that could answer with "+
				"their keys", p))
		}
		return
	}
	if _, begins := p.(interface {
		Begin(string) (Beginning, error)
	}); begins {
		panic(fmt.Sprintf("tuffet.Register: %T has a method Begin, and no Part(key string, offset uint64, length uint32) "+
			"(tuffet.Part, error)", p))
	}
	if _, has := p.(interface {
		Part(string, uint64, uint32) (Part, error)
	}); has {
		panic(fmt.Sprintf("tuffet.Register: %T has a method Part, and no Begin(key string) (tuffet.Beginning, error)", p))
	}
}
