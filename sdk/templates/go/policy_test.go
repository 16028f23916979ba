package main

import (
	"errors"
	"testing"

	"tuffet"
	"tuffet/tuffettest"
)

// configured returns the plugin for a version.
func configured(t *testing.T, version string) (*policy, error) {
	tuffettest.Reset(t)
	given := map[string]string{"version": version}
	//% resolve
	given["root"] = "boot"
	//% end
	//% observe
	given["sink"] = "downloads"
	//% end
	p := &policy{}
	return p, tuffettest.Configure(t, p, given)
}

// After a change of the settings: TUFFET_BLESS=1.
func TestTheSchemaIsThatOfTheSettings(t *testing.T) {
	tuffettest.CheckSettingsSchema(t, settings{}, "settings.schema.json")
}

func TestAVersionIsNeeded(t *testing.T) {
	_, err := configured(t, "")
	var problem tuffet.Problem
	if !errors.As(err, &problem) || problem.Pointer != "/version" {
		t.Fatalf("a problem at /version is expected, not %v", err)
	}
}

func TestAnswers(t *testing.T) {
	p, err := configured(t, "1.4.2")
	if err != nil {
		t.Fatal(err)
	}
	//% authorize
	verdict, err := p.Authorize(tuffettest.Request("firmware/1.4.1.bin"))
	if _, ok := verdict.(tuffet.Denial); !ok || err != nil {
		t.Errorf("an old version: %v, %v", verdict, err)
	}
	//% end
	//% resolve
	resolution, err := p.Resolve(tuffettest.Request("firmware/latest.bin"))
	if resolution != tuffet.File("boot", "firmware/1.4.2.bin") || err != nil {
		t.Errorf("the latest version: %v, %v", resolution, err)
	}
	//% end
	//% accept-upload
	acceptance, err := p.AcceptUpload(tuffettest.Upload("boot", "firmware/1.4.3.bin", ""))
	if _, ok := acceptance.(tuffet.Denial); !ok || err != nil {
		t.Errorf("an empty file: %v, %v", acceptance, err)
	}
	//% end
	//% observe
	end := &tuffet.Summary{Outcome: tuffet.Served, Transferred: 14}
	end.Request = *tuffettest.Request("firmware/latest.bin")
	end.Resolved = tuffet.File("boot", "firmware/1.4.2.bin")
	p.Observe([]tuffet.Event{{Finished: end}})
	want := `{"bytes":14,"client":"192.0.2.7","current":true,"path":"firmware/latest.bin"}`
	if got := tuffettest.Emitted("downloads"); len(got) != 1 || got[0] != want {
		t.Errorf("a download: %v", got)
	}
	//% end
}
