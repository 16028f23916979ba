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

// problemsOf returns what an error of Configure says to the server.
func problemsOf(err error) Problems {
	if err == nil {
		return nil
	}
	var all Problems
	var problem Problem
	switch {
	case errors.As(err, &all):
	case errors.As(err, &problem):
		all = Problems{problem}
	default:
		all = Problems{{"", err.Error()}}
	}
	if more := len(all) - maxProblems; more > 0 {
		all = append(all[:maxProblems:maxProblems], Problem{"", fmt.Sprintf("and %d more", more)})
	}
	return all
}
