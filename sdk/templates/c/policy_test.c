/* Tests of the plugin, natively. README.md has the command. */
#include "policy.h"

#include <stdio.h>
#include <string.h>

#include "tuffet_test.h"

/* The settings, with this version. */
#define GIVEN(version)                                                                                                 \
    "{"                                                                                                                \
    //% resolve
    "\"root\":\"boot\","                                                                                               \
    //% end
    //% observe
    "\"sink\":\"downloads\","                                                                                          \
    //% end
    "\"version\":\"" version "\"}"

static int failures;

static void expect(bool good, const char *what) {
    if (!good) fprintf(stderr, "%s\n", what);
    failures += !good;
}

int main(void) {
    const char *expected = "/version: name a version, such as 1.4.2";
    bool refused = tuffet_test_configure(GIVEN("")) == 1 && !strcmp(tuffet_test_problem(0), expected);
    expect(refused, "an empty version is a problem");
    expect(!tuffet_test_configure(GIVEN("1.4.2")), "the settings are good");
    //% authorize

    tuffet_request old = tuffet_test_request("firmware/1.4.1.bin");
    expect(tuffet_authorize(&old).kind == TUFFET_VERDICT_DENY, "an old version is denied");
    //% end
    //% resolve

    tuffet_request latest = tuffet_test_request("firmware/latest.bin");
    tuffet_resolution resolution = tuffet_resolve(&latest);
    bool current = resolution.kind == TUFFET_RESOLUTION_SERVE &&
                   !strcmp(resolution.candidates[0].file.path, "firmware/1.4.2.bin");
    expect(current, "the latest is the current version");
    //% end
    //% accept-upload

    tuffet_request writing = tuffet_test_request("firmware/1.4.3.bin");
    writing.operation = TUFFET_WRITE;
    tuffet_upload empty = tuffet_test_upload("boot", writing.path, "");
    expect(tuffet_accept_upload(&writing, &empty).kind == TUFFET_ACCEPTANCE_DENY, "an empty file is not accepted");
    //% end
    //% observe

    tuffet_summary served = {
        .decided.request = tuffet_test_request("firmware/latest.bin"),
        .outcome = TUFFET_OUTCOME_SERVED,
        .transferred = 14,
    };
    tuffet_observe(&(tuffet_event){.sequence = 1, .finished = &served}, 1);
    const char *line = tuffet_test_emitted(0);
    expect(line && strstr(line, "\"bytes\":14"), "a download is reported");
    //% end

    if (failures) return 1;
    puts("all tests passed");
    return 0;
}
