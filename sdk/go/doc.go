// Package tuffet is the SDK for plugins of the TFTP server Tuffet.
//
// A plugin is a type that implements [Configurer] and one or more hooks: [Authorizer], [Resolver], [UploadGate] and
// [Observer]; a Resolver may be a [Renderer] or a [PartsRenderer], too. It registers itself while its package is
// initialised; main is never called:
//
//	type policy struct{ version string }
//
//	func (p *policy) Configure(settings []byte) error {
//		var s struct {
//			Version string `json:"version" tuffet:"required"`
//		}
//		if err := tuffet.Decode(settings, &s); err != nil {
//			return err
//		}
//		p.version = s.Version
//		return nil
//	}
//
//	func (p *policy) Resolve(r *tuffet.Request) tuffet.Resolution {
//		if r.Path != "firmware/latest.bin" {
//			return tuffet.Abstain()
//		}
//		return tuffet.File("boot", "firmware/"+p.version+".bin")
//	}
//
//	func init() { tuffet.Register(&policy{}) }
//	func main() {}
//
// The file tuffet.json beside it has the manifest and the list of hooks; `tuffet plugin build` reads it. The packages
// kv, files, sinks, http, metrics, history, upload and log are what a plugin may call; tuffettest has their stand-ins for native tests.
//
// A hook that panics has failed, and the configuration decides what that means for the request. A hook that answers the
// zero value of its answer has failed, too, so that a forgotten answer lets nobody in.
package tuffet
