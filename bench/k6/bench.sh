#!/bin/sh
# Runs the scripts against a Tuffet of its own, with policy plugins on, and against another server if one is named;
# reports in TARGET_FOLDER/bench-k6. Ends with 1 where a threshold of Tuffet failed.
#
#   bench/k6/bench.sh TARGET_FOLDER TUFFET
#
# K6       which scripts, by default 'smoke boot-storm phones uploads'
# DURATION of each, by default 15s
# RATE     instead of each script's own
# PEER     the other server: in.tftpd, atftpd or dnsmasq, or a path to one. dnsmasq takes no uploads
# AT_ONCE  if 1, both servers at the same time, each with its own k6; else one after the other
# RESULTS  a file for the table, as Markdown
set -eu

[ $# = 2 ] || { echo "usage: $0 TARGET_FOLDER TUFFET" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
k6=$(sh "$here/build.sh" "$1") && built=0 || built=$?
case $built in
0) ;;
69) echo "skipped: the load tests with k6"; exit 0 ;;
*) exit 1 ;;
esac
tuffet=$2
out=$(cd "$1" && pwd)/bench-k6
scripts=${K6:-smoke boot-storm phones uploads}
peer=${PEER:+${PEER##*/}}
case $peer in
'') ;;
in.tftpd | atftpd | dnsmasq)
    command -v "$PEER" >/dev/null || { echo "PEER: there is no $PEER on this machine" >&2; exit 64; }
    ;;
*) echo "PEER: $peer is not known; in.tftpd, atftpd and dnsmasq are" >&2; exit 64 ;;
esac

for script in $scripts; do
    [ -f "$here/scripts/$script.js" ] || { echo "there is no $here/scripts/$script.js" >&2; exit 64; }
done
rm -rf "$out"
mkdir -p "$out"
servers=
finish() { for server in $servers; do kill "$server" 2>/dev/null || true; done; }
trap finish EXIT
trap 'exit 130' INT TERM

# Starts a server on ADDRESS with files of its own; its process is in $process then.
start() {
    folder=$out/$1
    sh "$here/files.sh" "$folder"
    host=${2%:*} port=${2##*:} root=$folder/files
    case $1 in
    tuffet)
        sed "s|ADDRESS|$2|" "$here/tuffet.yaml" >"$folder/tuffet.yaml"
        set -- "$1" "$2" "$tuffet" serve --user "$(id -u)" --config "$folder/tuffet.yaml" --log error
        ;;
    in.tftpd)
        set -- "$1" "$2" "$PEER" --foreground --address "$2" --create --permissive --user root --secure "$root"
        ;;
    atftpd)
        set -- "$1" "$2" "$PEER" --daemon --no-fork --no-multicast --user root.root --logfile /dev/null \
            --verbose=0 --maxthread 1000 --bind-address "$host" --port "$port" "$root"
        ;;
    dnsmasq)
        set -- "$1" "$2" "$PEER" --keep-in-foreground --conf-file=/dev/null --port=0 --pid-file= --user=root \
            --enable-tftp --tftp-max=1000 "--tftp-root=$root" --bind-interfaces "--listen-address=$host" \
            --log-facility=/dev/null
        ;;
    esac
    address=$2
    shift 2
    "$@" >"$folder/log" 2>&1 &
    process=$!
    servers="$servers $process"
    sh "$here/wait.sh" "$tuffet" "$address" "$process" || { cat "$folder/log" >&2; exit 1; }
}

# CPU time of a process, in ticks, and its memory in KiB.
spent() { sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'; }
memory() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }

# Runs SCRIPT against SERVER at ADDRESS, whose process is PROCESS.
run() {
    kill -0 "$4" || { echo "$2 has not started: does something else use $3?" >&2; cat "$out/$2/log" >&2; exit 1; }
    before=$(spent "$4") had=$(memory "$4") report=$out/$1-$2 writes=1
    if [ "$2" = dnsmasq ]; then
        writes=0
        [ "$1" != uploads ] || { echo "$1|$2|0|0|takes no uploads" >"$report.line"; return; }
    fi
    K6_WEB_DASHBOARD=true K6_WEB_DASHBOARD_PORT=-1 K6_WEB_DASHBOARD_PERIOD=1s \
        K6_WEB_DASHBOARD_EXPORT="$report.html" K6_NO_USAGE_REPORT=true \
        "$k6" run --quiet --address 127.0.0.1:0 -e SERVER="$3" -e MANIFEST="$out/$2/manifest.json" -e WRITES=$writes \
        -e DURATION="${DURATION:-15s}" ${RATE:+-e RATE="$RATE"} \
        -e SUMMARY="$report.json" -e ROW="$report.row" "$here/scripts/$1.js" || touch "$report.failed"
    kill -0 "$4" || { echo "$2 has ended: does something else use $3?" >&2; cat "$out/$2/log" >&2; exit 1; }
    after=$(spent "$4") has=$(memory "$4")
    # A script that could not even run has no row.
    [ -f "$report.row" ] || echo "$1|0|0|did not run" >"$report.row"
    awk -F '|' -v OFS='|' -v server="$2" -v ticks="$((after - before))" -v hz="$(getconf CLK_TCK)" \
        -v had="$had" -v has="$has" '{
            # in.tftpd forks for each transfer and ignores how its processes end: nothing counts their time.
            cpu = $3 > 0 && server != "in.tftpd" ? sprintf("%.3f", 1000 * ticks / hz / $3) : "-"
            $1 = $1 OFS server
            print $0, cpu, sprintf("%.0f, %.0f", had / 1024, has / 1024)
        }' "$report.row" >"$report.line"
}

start tuffet 127.66.0.1:6969
ours=$process theirs=
if [ -n "$peer" ]; then
    # dnsmasq has no other port.
    [ "$peer" = dnsmasq ] && at=127.66.0.3:69 || at=127.66.0.3:6969
    start "$peer" "$at"
    theirs=$process
fi
for script in $scripts; do
    if [ -n "$peer" ] && [ "${AT_ONCE:-}" = 1 ]; then
        run "$script" "$peer" "$at" "$theirs" &
        beside=$!
        run "$script" tuffet 127.66.0.1:6969 "$ours"
        wait "$beside"
    else
        run "$script" tuffet 127.66.0.1:6969 "$ours"
        [ -z "$peer" ] || run "$script" "$peer" "$at" "$theirs"
    fi
done

echo "MB/s of file data; ms from request to end of a transfer, whatever it was; CPU of the server's process in ms for each
transfer; its memory in MiB before and after; reports: $out"
{
    echo 'script|server|s|transfers|per s|MB/s in|MB/s out|median ms|p99 ms|small p95 ms, first and last tenth|repeated|failed|not started|thresholds|CPU ms|MiB'
    for script in $scripts; do cat "$out/$script-tuffet.line" ${peer:+"$out/$script-$peer.line"}; done
} >"$out/table"
column -t -s '|' "$out/table" 2>/dev/null || cat "$out/table"
if [ -n "${RESULTS:-}" ]; then
    {
        echo "# Load tests with k6, $(date -u +%F)"
        echo
        echo "\`bench/k6/bench.sh\`, scripts \`$scripts\`, ${DURATION:-15s} each${RATE:+, RATE=$RATE}," \
            "$(nproc) cores shared by servers and clients$([ "${AT_ONCE:-}" = 1 ] && echo ', both servers at once')." \
            "MB/s of file data; ms from request to end of a transfer, whatever it was; CPU of the server's process;" \
            "its memory before and after."
        echo
        sed -e 's/|/ | /g; s/^/| /; s/$/ |/' -e '1{p;s/[^|]\{1,\}/---/g;}' "$out/table"
    } >"$RESULTS"
fi
for script in $scripts; do
    [ ! -e "$out/$script-tuffet.failed" ] || exit 1
done
