// The plugin plugin-name pins the version of a firmware: a start for your own. README.md says how to build and try it.
package main

import (
	"strings"

	"tuffet"
)

// settings are what the operator writes below `settings`. A mistyped key is an error.
type settings struct {
	//% resolve
	Root string `json:"root" tuffet:"required" description:"The root that the firmware is in." format:"root-name"`

	//% end
	//% observe
	Sink string `json:"sink" tuffet:"required" description:"The sink that receives a line for each download." format:"granted-sink-name"`

	//% end
	Version string `json:"version" tuffet:"required" description:"The current version, such as 1.4.2."`
}

type policy struct {
	settings
	// The path of the current version.
	current string
}

func init() { tuffet.Register(&policy{}) }

// The server calls the hooks, never main.
func main() {}

// Configure reads and checks the settings, before any hook.
func (p *policy) Configure(given []byte) error {
	if err := tuffet.Decode(given, &p.settings); err != nil {
		return err
	}
	if p.Version == "" || strings.Contains(p.Version, "/") {
		// The server shows the line of its configuration that the pointer leads to.
		return tuffet.Problem{Pointer: "/version", Message: "name a version, such as 1.4.2"}
	}
	p.current = "firmware/" + p.Version + ".bin"
	return nil
}
