package main

import (
	"errors"
	"testing"

	"tuffet"
	"tuffet/tuffettest"
)

func TestAVersionIsNeeded(t *testing.T) {
	tuffettest.Reset(t)
	given := map[string]string{
		"version": "1.4.2",
		//% resolve
		"root": "boot",
		//% end
		//% observe
		"sink": "downloads",
		//% end
	}
	if err := tuffettest.Configure(t, &policy{}, given); err != nil {
		t.Fatal(err)
	}
	given["version"] = ""
	var problem tuffet.Problem
	if err := tuffettest.Configure(t, &policy{}, given); !errors.As(err, &problem) || problem.Pointer != "/version" {
		t.Fatalf("a problem at /version is expected, not %v", err)
	}
}
