package tuffet

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
)

func TestTheProblemsOfErrors(t *testing.T) {
	a, b := Problem{"/a", "one"}, Problem{"/b", "two"}
	for _, each := range []struct {
		err  error
		want Problems
	}{
		{nil, nil}, {a, Problems{a}}, {Problems{a, b}, Problems{a, b}}, {errors.Join(a, Problems{b}), Problems{a, b}},
		{fmt.Errorf("here: %w", Problems{a, b}), Problems{a, b}}, {fmt.Errorf("here: %w", errors.ErrUnsupported), Problems{{"", "here: unsupported operation"}}},
	} {
		if got := problemsOf(each.err); !reflect.DeepEqual(got, each.want) {
			t.Errorf("%v: %v", each.err, got)
		}
	}
	if got := problemsOf(make(Problems, 103)); len(got) != 101 || got[100].Message != "and 3 more" {
		t.Error(len(got))
	}
}
