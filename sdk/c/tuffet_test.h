/*
 * Stand-ins for the server: they let the tests of a plugin run natively, where a debugger and sanitizers work.
 *
 *     cc -g -fsanitize=address,undefined -Isdk/c *.c sdk/c/tuffet_test.c -o policy_test && ./policy_test
 *
 * Everything is granted. Keys, files, lines and memory last until tuffet_test_reset. `tuffet plugin build` leaves out
 * files named *_test.c.
 */
#ifndef TUFFET_TEST_H
#define TUFFET_TEST_H

#include "tuffet.h"

/* Begins anew, without keys, files, lines, responses and problems. What was handed over before is freed. */
void tuffet_test_reset(void);

/* Gives settings, as JSON, to tuffet_configure, and returns the number of problems. */
size_t tuffet_test_configure(const char *settings);

/* A problem of the last settings, such as "/version: name a version"; NULL if there are not so many. */
const char *tuffet_test_problem(size_t number);

/* A read of this path by 192.0.2.1, without any MAC address. Change what the test needs otherwise. */
tuffet_request tuffet_test_request(const char *path);

/* The label that a hook gave its request since this was asked last, or NULL. */
const char *tuffet_test_label(void);

/* What the network says of a client: request.client.macs = tuffet_test_macs("02:00:5e:10:00:01"). */
const tuffet_mac_addresses *tuffet_test_macs(const char *address);

/* A complete upload of a text, which tuffet_upload_read reads from now on. The digest is that of no file: 64 zeros. */
tuffet_upload tuffet_test_upload(const char *root, const char *path, const char *content);

/* Puts a text into a file, which has another version from now on. */
void tuffet_test_put_file(const char *root, const char *path, const char *content);

/* Sets the last requests of the client, newest first. */
void tuffet_test_put_history(const tuffet_past_request *requests, size_t count);

/* The value of a counter or gauge; 0 if it was never changed. */
double tuffet_test_metric(const char *name, tuffet_pairs labels);

/* Answers the next request over HTTP, which is otherwise refused. */
void tuffet_test_respond(uint16_t status, const char *body);

/* A line that was sent to a sink, as "SINK JSON", in order; NULL if there are not so many. */
const char *tuffet_test_emitted(size_t number);

/* A line for the log, as "warn: MESSAGE name=value", in order; NULL if there are not so many. */
const char *tuffet_test_logged(size_t number);

#endif
