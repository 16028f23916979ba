package tuffet

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Problem is an error in the settings.
type Problem struct {
	// A JSON pointer (RFC 6901) into the settings; the server shows the line of its configuration.
	Pointer string
	Message string
}

func (p Problem) Error() string { return fmt.Sprintf("%s: %s", p.Pointer, p.Message) }

// Problems are several of them.
type Problems []Problem

func (p Problems) Error() string {
	messages := make([]string, len(p))
	for i, problem := range p {
		messages[i] = problem.Error()
	}
	return strings.Join(messages, "; ")
}

// Unwrap returns each of them.
func (p Problems) Unwrap() []error {
	all := make([]error, len(p))
	for i, problem := range p {
		all[i] = problem
	}
	return all
}

// Add adds a problem. The pointer is made of the keys and indexes that lead to the place.
func (p *Problems) Add(message string, path ...any) {
	*p = append(*p, Problem{Pointer(path...), message})
}

// Err returns the problems as an error, nil if there are none.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

// Pointer returns the JSON pointer for a path of keys and indexes.
func Pointer(path ...any) string {
	var pointer strings.Builder
	for _, step := range path {
		pointer.WriteByte('/')
		switch step := step.(type) {
		case int:
			pointer.WriteString(strconv.Itoa(step))
		default:
			pointer.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(fmt.Sprint(step)))
		}
	}
	return pointer.String()
}

// The most problems that are listed; the rest is counted.
const maxProblems = 100

// problemsOf returns the problems in an error of Configure, as many as are listed.
func problemsOf(err error) Problems {
	all := collect(err)
	if more := len(all) - maxProblems; more > 0 {
		all = append(all[:maxProblems:maxProblems], Problem{"", fmt.Sprintf("and %d more", more)})
	}
	return all
}

func collect(err error) (all Problems) {
	switch its := err.(type) {
	case nil:
		return nil
	case Problem:
		return Problems{its}
	case interface{ Unwrap() []error }:
		for _, each := range its.Unwrap() {
			all = append(all, collect(each)...)
		}
		return all
	}
	var problem Problem
	if errors.As(err, &problem) {
		return collect(errors.Unwrap(err))
	}
	return Problems{{"", err.Error()}}
}
