package tuffet

// The label of the call that runs.
var given string

// Label gives the request a label, such as "canary": with the answer of this call of Authorize or Resolve, whatever it is.
// Plugins that are called later see it ([Request.LabelOf]), and so do people. 1 to 32 letters of ASCII, digits, ".", "_" and
// "-"; another text is an invalid answer. Use few different ones: metrics count the requests of each. The last call counts.
func Label(text string) { given = text }

// Labelled returns the label that was given last, and forgets it, for tests.
func Labelled() string {
	label := given
	given = ""
	return label
}
