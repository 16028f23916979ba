package tuffet

import (
	"fmt"
	"slices"
	"strings"
)

// The hooks that tuffet.json lists, joined with commas. `tuffet plugin build` sets it through the linker, and exports
// these hooks and no others.
var declared string

// checkDeclared compares the hooks of the plugin with those that the component exports.
func checkDeclared(p any) {
	if declared == "" {
		return
	}
	listed, implemented := strings.Split(declared, ","), hooks()
	for _, hook := range listed {
		if !slices.Contains(implemented, hook) {
			panic(fmt.Sprintf("tuffet.json lists the hook %s, and %T does not implement it: "+
				"add the method with the parameters and the result of that hook, or remove it from `hooks`", hook, p))
		}
	}
	for _, hook := range implemented {
		if !slices.Contains(listed, hook) {
			panic(fmt.Sprintf("%T implements the hook %s, and tuffet.json does not list it: add it to `hooks`", p, hook))
		}
	}
}
