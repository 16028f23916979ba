package tftp

// numbering turns positions of blocks (1, 2, 3, … without end) into the 16 bits on the wire and back. After 65535
// comes 0 with nearly all implementations, 1 with some; RFC 1350 does not say.
type numbering struct {
	// How many numbers there are before they repeat: 65536, or 65535 if 0 is left out.
	modulus int64
}

func newNumbering(rollover int) numbering {
	return numbering{modulus: 65536 - int64(rollover)}
}

// wire gives the number of a position; position 0 is what an ACK of a request confirms.
func (n numbering) wire(position int64) uint16 {
	if position <= 65535 {
		return uint16(position) // #nosec G115 -- bounded above
	}
	if n.modulus == 65536 {
		return uint16(position & 0xffff) // #nosec G115 -- masked
	}
	return uint16((position-1)%n.modulus + 1) // #nosec G115 -- at most 65535
}

// ahead says how many positions a number on the wire lies after the given position, from 0 to the modulus less
// one: a large result is one that lies before it.
func (n numbering) ahead(of int64, wire uint16) int64 {
	return ((int64(wire)-int64(n.wire(of)))%n.modulus + n.modulus) % n.modulus
}
