/* The interface `lifecycle`, which every plugin exports. */
#include <stdio.h>

#include "memory.h"
#include "../bindings/lifecycle.c"
#include "../tuffet.h"
#include "value.h"

#pragma weak tuffet_configure
/* Only a plugin that prints contains it. */
extern FILE *const(stdout) __attribute__((weak));

static plugin_string_t lower(const char *text) { return (plugin_string_t){(uint8_t *)text, strlen(text)}; }

static void configure(const tuffet_value *settings) {
    if (!settings) {
        tuffet_problem(NULL, "the settings are not JSON, or nested too deeply");
    } else if (tuffet_configure) {
        tuffet_configure(settings);
    } else {
        tuffet_known(settings, NULL);
    }
}

bool exports_tuffet_policy_lifecycle_configure(plugin_string_t *settings,
                                               exports_tuffet_policy_lifecycle_list_problem_t *answer) {
    /* What is printed must not wait in a buffer: nothing ends like a program, and a trap would lose it. */
    if (&stdout) setvbuf(stdout, NULL, _IONBF, 0);
    tuffet_collect_problems();
    configure(tuffet_parse(TUFFET_TEXT(*settings), settings->len));
    const tuffet_problem_found *found = tuffet_collected_problems();
    size_t count = 0;
    for (const tuffet_problem_found *problem = found; problem; problem = problem->next) count++;
    exports_tuffet_policy_lifecycle_problem_t *list = TUFFET_NEW(exports_tuffet_policy_lifecycle_problem_t, count);
    *answer = (exports_tuffet_policy_lifecycle_list_problem_t){list, count};
    for (; found; found = found->next, list++) {
        list->pointer = lower(found->pointer);
        list->message = lower(found->message);
    }
    tuffet_configured();
    tuffet_call_ended();
    return count == 0;
}
