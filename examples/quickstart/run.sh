#!/bin/sh
# Serves examples/quickstart and says what to try. `make run` builds first.
#
#   examples/quickstart/run.sh FOLDER_OF_THE_BINARY
set -eu

bin=$1
cd "$(dirname "$0")/../.."
"$bin/tuffet" check examples/quickstart/tuffet.yaml >/dev/null

cat <<TRY

Tuffet serves examples/quickstart on 127.0.0.1:6969. In another terminal, in this folder:

  PATH=$bin:\$PATH

  curl tftp://127.0.0.1:6969/hello.txt
      a file as it is
  tuffet get -o - tftp://127.0.0.1:6969/secret/plan.txt
      denied by the plugin acl, with its own text
  tuffet get -o - tftp://127.0.0.1:6969/SEP001122334455.cnf.xml
      the plugin mac-map finds this phone's file, phones/001122334455.cfg
  tuffet get -o - tftp://127.0.0.1:6969/SEP00AABBCCDDEE.cnf.xml
      a phone without a file gets phones/default.cfg
  atftp --option 'blksize 1428' --get -r pxelinux.cfg/01-00-11-22-33-44-55 -l machine.cfg 127.0.0.1 6969
      machine.cfg: this machine's own boot configuration

Each request is one line below. Stop with Ctrl-C.

TRY
# Root's own folders are root's to serve.
set -- --config examples/quickstart/tuffet.yaml
[ "$(id -u)" != 0 ] || set -- "$@" --user "$(stat -c %u examples/quickstart/files)"
exec "$bin/tuffet" serve "$@"
