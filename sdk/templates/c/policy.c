#include "policy.h"

#include <string.h>

policy its;

/* Reads and checks the settings, before any hook. A mistyped key is an error. */
void tuffet_configure(const tuffet_value *settings) {
    tuffet_known(settings, "version",
                 //% resolve
                 "root",
                 //% end
                 //% observe
                 "sink",
                 //% end
                 NULL);
    const tuffet_value *given = tuffet_need(settings, "version");
    const char *version = tuffet_string(given);
    if (given && (!*version || strchr(version, '/'))) {
        /* The server shows the line of its configuration that the value is in. */
        tuffet_problem(given, "name a version, such as 1.4.2");
    }
    its.current = tuffet_format("firmware/%s.bin", version);
    //% resolve
    its.root = tuffet_string(tuffet_need(settings, "root"));
    //% end
    //% observe
    its.sink = tuffet_string(tuffet_need(settings, "sink"));
    //% end
}
