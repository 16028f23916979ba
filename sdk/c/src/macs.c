/* MAC addresses of clients. */
#include <string.h>

#include "../tuffet.h"

static const tuffet_mac_addresses *known(const tuffet_client *client) {
    if (!client->macs) {
        tuffet_fail("the manifest does not ask for the grant client-mac, or the configuration does not give it");
    }
    return client->macs;
}

tuffet_macs tuffet_client_network_macs(const tuffet_client *client) {
    return known(client)->network;
}

tuffet_macs tuffet_client_claimed_macs(const tuffet_client *client) {
    return known(client)->claimed;
}

tuffet_macs tuffet_client_any_macs(const tuffet_client *client) {
    if (!client->macs) return (tuffet_macs){0};
    tuffet_macs network = client->macs->network, claimed = client->macs->claimed;
    tuffet_mac *all = tuffet_alloc((network.count + claimed.count) * sizeof(*all));
    for (size_t i = 0; i < network.count; i++) all[i] = network.items[i];
    for (size_t i = 0; i < claimed.count; i++) all[network.count + i] = claimed.items[i];
    return (tuffet_macs){all, network.count + claimed.count};
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
