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

int main(void) {
    if (tuffet_test_configure(GIVEN("1.4.2"))) {
        fprintf(stderr, "there is a problem: %s\n", tuffet_test_problem(0));
        return 1;
    }
    const char *expected = "/version: name a version, such as 1.4.2";
    if (tuffet_test_configure(GIVEN("")) != 1 || strcmp(tuffet_test_problem(0), expected)) {
        fprintf(stderr, "a problem is expected: %s\n", expected);
        return 1;
    }
    puts("all tests passed");
    return 0;
}
