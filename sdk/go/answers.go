package tuffet

// An ErrorCode is sent to a client in an ERROR packet (RFC 1350 section 5, RFC 2347).
type ErrorCode uint8

// The codes.
const (
	NotDefined ErrorCode = iota
	FileNotFound
	AccessViolation
	DiskFull
	FileExists
	OptionRefused
)

func (c ErrorCode) String() string {
	return word(c, "not-defined", "file-not-found", "access-violation", "disk-full", "file-exists", "option-refused")
}

// SessionValues are the numbers of a session that a client may negotiate; 0 means none.
type SessionValues struct {
	// Bytes in a block, 8 to 65464 (RFC 2348).
	Blksize uint16
	// Blocks in a window (RFC 7440).
	Windowsize uint16
	// Seconds before a packet is sent again (RFC 2349).
	Timeout uint8
}

// A Profile is how a transfer is negotiated and sent; 0 means as configured. sdk/wit/policy.wit says how the profiles of
// several plugins combine.
type Profile struct {
	// The most that is granted.
	Ceilings SessionValues
	// The least that a session is served with: a client that negotiates less gets the error OptionRefused.
	Floors SessionValues
	// These take the place of the configured ceilings on blocks and windows, and of the configured time-outs.
	Overrides SessionValues
	// The size in bytes of the largest file that may be read or written; nil means as configured.
	MaxSize *uint64
	// Blocks of a window that are sent at once; the others follow, paced.
	Burst uint16
	// The most bytes of file data in a second, at least 1024.
	Rate uint64
	// Options that are not acknowledged, such as multicast.
	RefuseOptions []string
	// For later servers; an unknown name is an invalid answer.
	Attributes []Pair
}

// Ceiling is a profile with the most that is granted: Ceiling(SessionValues{Blksize: 1428}).
func Ceiling(values SessionValues) Profile { return Profile{Ceilings: values} }

// Floor is a profile with the least that a session is served with.
func Floor(values SessionValues) Profile { return Profile{Floors: values} }

// A Verdict answers [Authorizer]: [Abstain], [Allow], [Deny] or [Drop].
type Verdict interface{ verdict() }

// A Resolution answers [Resolver]: [Abstain], a [Candidate], [Serve], [Files], [Deny] or [Drop].
type Resolution interface{ resolution() }

// A Candidate may be served: [File], [Content] or [Rendered].
type Candidate interface {
	Resolution
	candidate()
}

// A Rendering answers [Renderer]: [Content], which may be [Contents.Expiring], or [Deny].
type Rendering interface{ rendering() }

// An Acceptance answers [UploadGate]: [Abstain], [Accept], [Rename] or [Deny].
type Acceptance interface{ acceptance() }

// The answers; tests compare them with reflect.DeepEqual.
type (
	// An Abstention is no opinion; [Abstain] returns it.
	Abstention struct{}
	// A Denial says no; [Deny] returns it.
	Denial struct {
		Code ErrorCode
		// Sent to the client: short, no secrets. At most 200 bytes are sent.
		Message string
		// Logged, never sent.
		Reason string
	}
	// A Silence says no without an answer to the client; [Drop] returns it.
	Silence struct{ Reason string }
	// A Target is a file in a configured root.
	Target struct{ Root, Path string }
	// A Selection is what may be served; [Serve] and [Files] return it.
	Selection struct {
		Candidates []Candidate
		elseNext   bool
		profile    *Profile
	}
	// A Key is that of content which the plugin makes once for all requests; [Rendered] returns it.
	Key string
	// A Renaming accepts an upload under another name; [Rename] returns it.
	Renaming struct {
		Path     string
		nextFree bool
	}
	allow  struct{ Profile }
	accept struct{}
)

func (Abstention) verdict()    {}
func (Abstention) resolution() {}
func (Abstention) acceptance() {}
func (Denial) verdict()        {}
func (Denial) resolution()     {}
func (Denial) rendering()      {}
func (Denial) beginning()      {}
func (Denial) part()           {}
func (Denial) acceptance()     {}
func (Silence) verdict()       {}
func (Silence) resolution()    {}
func (allow) verdict()         {}
func (Selection) resolution()  {}
func (Target) resolution()     {}
func (Contents) resolution()   {}
func (Key) resolution()        {}
func (Target) candidate()      {}
func (Contents) candidate()    {}
func (Key) candidate()         {}
func (accept) acceptance()     {}
func (Renaming) acceptance()   {}

// Abstain has no opinion: the next plugin decides, then the configuration.
func Abstain() Abstention { return Abstention{} }

// Deny says no and ends the chain. The client gets an ERROR with code and message; the reason is for the log.
func Deny(code ErrorCode, message, reason string) Denial { return Denial{code, message, reason} }

// Drop says no and ends the chain. The client gets no answer, and asks again, or asks another server; the reason is for the
// log.
func Drop(reason string) Silence { return Silence{reason} }

// Allow says yes, unless a later plugin of the chain denies, with this profile.
func Allow(profile Profile) Verdict { return allow{profile} }

// Serve names candidates: the server serves the first that exists. Content always exists, so nothing may follow it. A write
// goes to the first file; content is left out.
func Serve(candidates ...Candidate) Selection { return Selection{Candidates: candidates} }

// Files is [Serve] of files.
func Files(targets ...Target) Selection {
	candidates := make([]Candidate, len(targets))
	for i, target := range targets {
		candidates[i] = target
	}
	return Serve(candidates...)
}

// File is a file in a configured root, if it exists. A write goes to it.
func File(root, path string) Target { return Target{root, path} }

// Rendered is the content that the plugin's [Renderer] or [PartsRenderer] makes for this key, of 1 to 1024 bytes: once for
// all requests with the key. The server keeps it in memory while there is room. Never to a write.
func Rendered(key string) Key { return Key(key) }

// ElseNext lets the chain go on if no candidate exists: the next plugin decides, and at the end the path is looked up in the
// roots. A write that has a file does not go on.
func (s Selection) ElseNext() Selection {
	s.elseNext = true
	return s
}

// With says how the file or content is sent: with what Authorize allowed, as if one more plugin had allowed.
func (s Selection) With(profile Profile) Selection {
	s.profile = &profile
	return s
}

// Accept says yes, unless a later plugin of the chain denies.
func Accept() Acceptance { return accept{} }

// Rename says yes, under this path in the same root, whose folder must exist, or is made where the root makes folders.
func Rename(path string) Renaming { return Renaming{Path: path} }

// NextFree takes the first free name of PATH.1 to PATH.999 if there is such a file already.
func (r Renaming) NextFree() Renaming {
	r.nextFree = true
	return r
}
