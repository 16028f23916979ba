// Package wire has the words of the interface tuffet:policy, in the order of its enums.
package wire

// The words of the enums.
var (
	Operations = []string{"read", "write"}
	Modes      = []string{"octet", "netascii"}
	MACSources = []string{"neighbour-table", "lease-file", "requested-name"}
	ErrorCodes = []string{
		"not-defined", "file-not-found", "access-violation", "disk-full", "file-exists", "option-refused",
	}
	Outcomes = []string{
		"served", "stored", "probed", "aborted", "denied", "not-found", "timed-out", "failed",
	}
	Decisions = []string{"granted", "refused", "dropped", "undecided"}
)
