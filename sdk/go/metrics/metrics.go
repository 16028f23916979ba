// Package metrics has counters and gauges of the plugin's own, among the metrics of the server: tuffet_plugin_counter_total
// and tuffet_plugin_gauge, with the plugin's name, the name given here, and the labels. It needs the grant metrics.
// Errors are [tuffet.Error] values.
//
// A plugin has at most 64 series, each a name with values of its labels, so never use what clients choose freely.
// sdk/wit/policy.wit has the rules for names.
package metrics

import "tuffet/internal/host"

// Add adds to a counter, which begins at 0. Labels alternate with their values: Add("lookups", 1, "answer", "hit").
func Add(name string, by uint64, labels ...string) error {
	pairs, err := fields(labels)
	if err != nil {
		return err
	}
	return host.MetricsAdd(name, by, pairs)
}

// Set sets a gauge to a finite number, with labels as for [Add].
func Set(name string, value float64, labels ...string) error {
	pairs, err := fields(labels)
	if err != nil {
		return err
	}
	return host.MetricsSet(name, value, pairs)
}

func fields(labels []string) ([]host.Field, error) {
	if len(labels)%2 != 0 {
		return nil, &host.Error{Code: host.BadArgument, Message: "a label has no value"}
	}
	pairs := make([]host.Field, len(labels)/2)
	for i := range pairs {
		pairs[i] = host.Field{Name: labels[2*i], Value: labels[2*i+1]}
	}
	return pairs, nil
}
