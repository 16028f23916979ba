package tftp

import "fmt"

// accept takes the server's OACK, or ends the transfer with ERROR 8 (RFC 2347) where the server grants what was not
// asked for, or more of it.
func (t *transfer) accept(packet []byte) bool {
	options, err := parseOack(packet)
	if err != nil {
		t.fail(ProtocolError, CodeOptions, "malformed OACK")
		return false
	}
	t.result.Options.Negotiated = true
	for _, granted := range options {
		if err := t.grant(granted); err != nil {
			t.fail(ProtocolError, CodeOptions, err.Error())
			return false
		}
	}
	t.socket.room(t.result.Options.Windowsize * (t.result.Options.Blksize + headerSize))
	return true
}

func (t *transfer) grant(granted option) error {
	asked, least := 0, 1
	switch granted.name {
	case "blksize":
		asked, least = t.request.Blksize, 8
	case "windowsize":
		asked = t.request.Windowsize
	case "timeout":
		asked = t.request.TimeoutOption
		least = asked
	case "tsize":
		return t.announced(granted.value)
	}
	if asked == 0 {
		return fmt.Errorf("option %.20q was not asked for", granted.name)
	}
	if granted.value < int64(least) || granted.value > int64(asked) {
		return fmt.Errorf("%s %d was granted, %d asked for", granted.name, granted.value, asked)
	}
	value := int(granted.value)
	switch granted.name {
	case "blksize":
		t.result.Options.Blksize = value
	case "windowsize":
		t.result.Options.Windowsize = value
	case "timeout":
		t.result.Options.Timeout = value
	}
	return nil
}

func (t *transfer) announced(size int64) error {
	if !t.request.Tsize {
		return fmt.Errorf("option \"tsize\" was not asked for")
	}
	if size < 0 {
		return fmt.Errorf("tsize %d was granted", size)
	}
	t.result.Size = size
	return nil
}
