package tuffet

import (
	"iter"
	"maps"
	"slices"
)

// sorted iterates over a map in the order of its keys, so that problems have an order.
func sorted(object map[string]any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if !yield(key, object[key]) {
				return
			}
		}
	}
}
