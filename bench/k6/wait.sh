#!/bin/sh
# Waits until Tuffet answers, at most a minute.
#
#   bench/k6/wait.sh TUFFET ADDRESS:PORT PROCESS
set -eu

tries=0
until "$1" get -o /dev/null "tftp://$2/XMLDefault.cnf.xml" >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ "$tries" -gt 300 ] || ! kill -0 "$3" 2>/dev/null; then
        echo "the server does not answer" >&2
        exit 1
    fi
    sleep 0.2
done
