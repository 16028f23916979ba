package k6tftp

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/lib/types"

	"tuffet.invalid/k6/internal/tftp"
)

// Above this a number of JavaScript is not exact.
const maxSize = 1<<53 - 1

func integer(value sobek.Value, least, most int64) (int64, error) {
	var whole int64
	switch exported := value.Export().(type) {
	case int64:
		whole = exported
	case float64:
		if exported != math.Trunc(exported) || math.Abs(exported) > maxSize {
			return 0, fmt.Errorf("must be a whole number from %d to %d, not %v", least, most, exported)
		}
		whole = int64(exported)
	default:
		return 0, fmt.Errorf("must be a whole number from %d to %d, not %q", least, most, value)
	}
	if whole < least || whole > most {
		return 0, fmt.Errorf("must be a whole number from %d to %d, not %d", least, most, whole)
	}
	return whole, nil
}

func number(value sobek.Value, least, most int64) (int, error) {
	whole, err := integer(value, least, most)
	return int(whole), err
}

func boolean(value sobek.Value) (bool, error) {
	exported, ok := value.Export().(bool)
	if !ok {
		return false, fmt.Errorf("must be true or false, not %q", value)
	}
	return exported, nil
}

func text(value sobek.Value) (string, error) {
	exported, ok := value.Export().(string)
	if !ok {
		return "", fmt.Errorf("must be text, not %q", value)
	}
	return exported, nil
}

// duration takes `'250ms'`, `'1m30s'` or a number of milliseconds, as all of k6 does.
func duration(value sobek.Value, least, most time.Duration) (time.Duration, error) {
	found, err := types.GetDurationValue(value.Export())
	if err != nil {
		return 0, fmt.Errorf("must be a time such as '250ms' or a number of milliseconds, not %q", value)
	}
	if found < least || found > most {
		return 0, fmt.Errorf("must be a time from %s to %s, not %s", least, most, found)
	}
	return found, nil
}

// pool takes an address, a range (`a-b`), a network in CIDR notation, or several of them with commas.
func pool(value sobek.Value) (*types.IPPool, error) {
	ranges, err := text(value)
	if err != nil {
		return nil, err
	}
	return types.NewIPPool(ranges)
}

func hashOf(value sobek.Value) (hash bool, want string, err error) {
	if wanted, ok := value.Export().(bool); ok {
		return wanted, "", nil
	}
	want, err = text(value)
	want = strings.ToLower(want)
	if err != nil || len(want) != 64 || strings.Trim(want, "0123456789abcdef") != "" {
		return false, "", fmt.Errorf("must be true, or the 64 hexadecimal digits that are expected, not %q", value)
	}
	return true, want, nil
}

// abortOf takes a number of blocks, or an object with more.
func abortOf(runtime *sobek.Runtime, value sobek.Value) (*tftp.Abort, error) {
	if sobek.IsNull(value) {
		return nil, nil //nolint:nilnil // null takes the client's own away
	}
	abort := &tftp.Abort{Message: "the client has enough"}
	if _, ok := value.(*sobek.Object); !ok {
		after, err := integer(value, 0, maxSize)
		abort.After = after
		return abort, err
	}
	err := eachOption(runtime, value, func(name string, value sobek.Value) (err error) {
		switch name {
		case "after":
			abort.After, err = integer(value, 0, maxSize)
		case "code":
			var code int
			code, err = number(value, 0, 65535)
			abort.Code = uint16(code) // #nosec G115 -- bounded above
		case "message":
			if abort.Message, err = text(value); err == nil && (len(abort.Message) > 256 || strings.ContainsRune(abort.Message, 0)) {
				err = errors.New("must be at most 256 bytes without a NUL")
			}
		case "silent":
			abort.Silent, err = boolean(value)
		default:
			return fmt.Errorf("unknown key %q; there are after, code, message, silent", name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	return abort, err
}

// outcomes takes one of their names, or a list.
func outcomes(runtime *sobek.Runtime, value sobek.Value) ([]tftp.Outcome, error) {
	var names []string
	if name, ok := value.Export().(string); ok {
		names = []string{name}
	} else if err := runtime.ExportTo(value, &names); err != nil {
		return nil, fmt.Errorf("must be the name of an outcome or a list of them, not %q", value)
	}
	found := make([]tftp.Outcome, 0, len(names))
	for _, name := range names {
		outcome := tftp.Outcome(name)
		if !slices.Contains(tftp.Outcomes, outcome) {
			return nil, fmt.Errorf("there is no outcome %q; there are %v", name, tftp.Outcomes)
		}
		found = append(found, outcome)
	}
	return found, nil
}
