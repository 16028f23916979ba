/* MAC addresses of clients. */
#include <string.h>

#include "../tuffet.h"

tuffet_macs tuffet_client_network_macs(const tuffet_client *client) {
    if (!client->macs) {
        tuffet_fail("the manifest does not ask for the grant client-mac, or the configuration does not give it");
    }
    return client->macs->network;
}

/* The next hexadecimal digit behind separators, in lower case; another character, or 0 at the end, as it is. */
static char next_digit(const char **text) {
    *text += strspn(*text, ":-.");
    char digit = **text;
    *text += digit != 0;
    return digit >= 'A' && digit <= 'F' ? (char)(digit | 0x20) : digit;
}

static bool is_same(const char *a, const char *b) {
    char digit;
    do {
        digit = next_digit(&a);
        if (digit != next_digit(&b)) return false;
    } while (digit);
    return true;
}

bool tuffet_client_has_mac(const tuffet_client *client, const char *address) {
    tuffet_macs macs = tuffet_client_network_macs(client);
    for (size_t i = 0; i < macs.count; i++) {
        if (is_same(macs.items[i].address, address)) return true;
    }
    return false;
}
