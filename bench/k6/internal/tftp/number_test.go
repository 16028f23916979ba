package tftp

import "testing"

func TestNumbers(t *testing.T) {
	for _, expected := range []struct {
		rollover int
		position int64
		wire     uint16
	}{
		{0, 0, 0}, {0, 65535, 65535}, {0, 65536, 0}, {0, 65537, 1}, {0, 131071, 65535}, {0, 131072, 0},
		{1, 0, 0}, {1, 65535, 65535}, {1, 65536, 1}, {1, 131070, 65535}, {1, 131071, 1},
	} {
		numbers := newNumbering(expected.rollover)
		want(t, "number", numbers.wire(expected.position), expected.wire)
		if expected.position > 5 {
			want(t, "distance", numbers.ahead(expected.position-5, expected.wire), 5)
			want(t, "distance back", numbers.ahead(expected.position+5, expected.wire), numbers.modulus-5)
		}
	}
}
