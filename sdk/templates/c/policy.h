/* The plugin plugin-name pins the version of a firmware: a start for your own. README.md says how to build and try it. */
#ifndef POLICY_H
#define POLICY_H

#include "tuffet.h"

/* The settings, which tuffet_configure reads. */
typedef struct policy {
    /* The path of the current version. */
    const char *current;
    //% resolve
    /* The root that the firmware is in. */
    const char *root;
    //% end
    //% observe
    /* The sink that gets a line for each download. */
    const char *sink;
    //% end
} policy;

extern policy its;

#endif
