package tuffet

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tuffet/internal/host"
)

// Contents are content that the plugin made; [Content] returns them.
type Contents struct {
	Bytes []byte
	name  *string
}

// A LargeContent is content that is made in parts; [InParts] returns it.
type LargeContent struct {
	Size uint64
	name *string
	// nil until the configuration is loaded again.
	ttl *uint32
}

// A Beginning answers [PartsRenderer]: [InParts], [Whole] or [Deny].
type Beginning interface{ beginning() }

// A Part answers [PartsRenderer]: [Bytes] or [Deny].
type Part interface{ part() }

type (
	expiring struct {
		Contents
		ttl *uint32
	}
	whole     struct{}
	partBytes struct{ Bytes []byte }
)

func (Contents) rendering()     {}
func (expiring) rendering()     {}
func (LargeContent) beginning() {}
func (whole) beginning()        {}
func (partBytes) part()         {}

// Content is the content itself; never to a write.
func Content(bytes []byte) Contents { return Contents{Bytes: bytes} }

// Named gives the content a name for logs and observers: at most 200 bytes of one line, as [OneLine] makes them.
func (c Contents) Named(name string) Contents {
	c.name = &name
	return c
}

// Expiring has the content rendered anew for the next request after ttl, which is rounded up to seconds. Other content holds
// until the configuration is loaded again.
func (c Contents) Expiring(ttl time.Duration) Rendering { return expiring{c, host.Seconds(ttl)} }

// InParts is content of this many bytes, for which the server asks part by part. It holds until the configuration is loaded
// again.
func InParts(size uint64) LargeContent { return LargeContent{Size: size} }

// Named is as [Contents.Named].
func (c LargeContent) Named(name string) LargeContent {
	c.name = &name
	return c
}

// Expiring is as [Contents.Expiring].
func (c LargeContent) Expiring(ttl time.Duration) LargeContent {
	c.ttl = host.Seconds(ttl)
	return c
}

// Whole leaves the content to the method Render, which makes all of it at once.
func Whole() Beginning { return whole{} }

// Bytes are the bytes of a part.
func Bytes(content []byte) Part { return partBytes{content} }

// OneLine returns a name for content: what is longer than 200 bytes is cut, and control characters become spaces.
func OneLine(text string) string {
	end := min(len(text), 200)
	for end > 0 && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.Map(func(letter rune) rune {
		if unicode.IsControl(letter) {
			return ' '
		}
		return letter
	}, text[:end])
}
