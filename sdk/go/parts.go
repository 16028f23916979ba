package tuffet

import (
	"fmt"
	"time"

	"tuffet/internal/wire"
)

// A PartsRenderer is a [Resolver] that makes large content in parts: what is larger than the bound on content, or takes
// longer than a call may. Clients read what there is while the rest is made. tuffet.json lists it as "render-parts".
type PartsRenderer interface {
	// Begin says what the content for a key comes to. The server calls it once for all requests with the key, before Render.
	Begin(key string) Beginning
	// Part makes bytes from offset on: at least one, at most length. The server asks for one part after the other, each time
	// with the limits of a call, and maybe in another instance: the bytes may depend on the arguments, the settings and the
	// grants alone. A denial, or a failed call, ends all transfers of this content with an ERROR.
	Part(key string, offset uint64, length uint32) Part
}

// A Beginning answers [PartsRenderer]: [InParts], [Whole] or [Deny].
type Beginning interface{ beginning() }

// A Part answers [PartsRenderer]: [Bytes] or [Deny].
type Part interface{ part() }

// A LargeContent is content that is made in parts; [InParts] returns one.
type LargeContent struct {
	size    uint64
	name    string
	isNamed bool
	ttl     uint32
	expires bool
}

type (
	whole     struct{}
	partBytes struct{ Bytes []byte }
)

func (LargeContent) beginning() {}
func (whole) beginning()        {}
func (abstain) beginning()      {}
func (Denial) beginning()       {}
func (partBytes) part()         {}
func (abstain) part()           {}
func (Denial) part()            {}

// InParts is content of this many bytes, for which the server asks part by part. It holds until the configuration is loaded
// again.
func InParts(size uint64) LargeContent { return LargeContent{size: size} }

// Named gives the content a name, which logs and observers see as content/NAME: at most 200 bytes of one line, as [OneLine]
// makes them.
func (c LargeContent) Named(name string) LargeContent {
	c.name, c.isNamed = name, true
	return c
}

// Expiring has the content made anew for the next request after ttl, which is rounded up to seconds.
func (c LargeContent) Expiring(ttl time.Duration) LargeContent {
	c.ttl, c.expires = 0, false
	if seconds := wire.Seconds(ttl); seconds != nil {
		c.ttl, c.expires = *seconds, true
	}
	return c
}

// Whole leaves the content to the method Render, which makes all of it at once.
func Whole() Beginning { return whole{} }

// Bytes are the bytes of a part.
func Bytes(content []byte) Part { return partBytes{content} }

// checkParts panics if p has a part of [PartsRenderer] that cannot be used.
func checkParts(p any) {
	if registered.parts != nil {
		if registered.resolver == nil {
			panic(fmt.Sprintf("tuffet.Register: %T has the methods Begin and Part, and no method Resolve that could answer with "+
				"their keys", p))
		}
		return
	}
	if _, begins := p.(interface{ Begin(string) Beginning }); begins {
		panic(fmt.Sprintf("tuffet.Register: %T has a method Begin, and no Part(key string, offset uint64, length uint32) "+
			"tuffet.Part", p))
	}
	if _, has := p.(interface {
		Part(string, uint64, uint32) Part
	}); has {
		panic(fmt.Sprintf("tuffet.Register: %T has a method Part, and no Begin(key string) tuffet.Beginning", p))
	}
}
