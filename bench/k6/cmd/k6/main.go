// k6 with k6/x/tftp in it.
package main

import (
	"go.k6.io/k6/cmd"

	_ "tuffet.invalid/k6"
)

func main() {
	cmd.Execute()
}
