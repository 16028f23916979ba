#!/bin/sh
# Every relative link in the documentation must lead to a file of the repository, and its #anchor to a heading there; each
# label of a link is defined on its page.
# ARCHITECTURE.md stays short, its `file:function` references exist, and so do the paths and tests that the tables of
# SECURITY.md and docs/design name.
set -eu
cd "$(dirname "$0")/../.."

# The anchors of a page, as GitHub makes them of its headings.
anchors() {
    # shellcheck disable=SC2016 # backquotes, not a command
    sed '/^ *```/,/^ *```/d' "$1" | sed -n 's/^#\{1,6\} *//p' | tr '[:upper:]' '[:lower:]' |
        sed 's/\[\([^]]*\)\]([^)]*)/\1/g; s/[][`*(),.:;?!/"'"'"'{}…]//g; s/ /-/g'
}

broken=0
labels=$(mktemp)
trap 'rm -f "$labels"' EXIT
for page in $(git ls-files -co --exclude-standard -- '*.md'); do
    # A page that a package has, too, is looked at in its own folder; in rustdoc by scripts/lint/rustdoc.py.
    if [ ! -e "$page" ] || [ -h "$page" ]; then continue; fi
    # shellcheck disable=SC2016 # backquotes, not a command
    links=$(sed '/^```/,/^```/d' "$page" | grep -oE '\]\([^): ]+\)' | sed 's/^](//; s/)$//' || true)
    # shellcheck disable=SC2016 # backquotes, not a command
    prose=$(sed '/^```/,/^```/d; s/`[^`]*`//g' "$page")
    links="$links $(echo "$prose" | sed -n 's/^\[[^]]*\]: \([^ :]*\)$/\1/p')"
    echo "$prose" | grep -oE '\]\[[^]]+\]' | sort -u | sed 's/^\]//' >"$labels" || true
    while IFS= read -r label; do
        if ! echo "$prose" | grep -qF -e "$label: "; then
            echo "$page: $label is not defined" >&2
            broken=1
        fi
    done <"$labels"
    links="$links $(grep -oE '(src|srcset)="[^":]+"' "$page" | sed 's/.*="//; s/"$//' || true)"
    for link in $links; do
        file=${link%%#*}
        target=$page
        [ -z "$file" ] || target="$(dirname "$page")/$file"
        if [ ! -e "$target" ]; then
            echo "$page: $link is not there" >&2
            broken=1
            continue
        fi
        case $link in *.md'#'* | '#'*)
            if ! anchors "$target" | grep -qxF -e "${link#*#}"; then
                echo "$page: $link names no heading" >&2
                broken=1
            fi
            ;;
        esac
    done
done

size=$(wc -c <ARCHITECTURE.md)
if [ "$size" -gt 12288 ]; then
    echo "ARCHITECTURE.md: $size bytes, at most 12288" >&2
    broken=1
fi
# shellcheck disable=SC2016 # backquotes, not a command
for reference in $(grep -oE '`[a-z0-9_/]+\.rs:[a-z0-9_]+`' ARCHITECTURE.md | tr -d '`'); do
    file=${reference%:*}
    if [ ! -f "$file" ] || ! grep -qE "fn ${reference##*:}[(<]" "$file"; then
        echo "ARCHITECTURE.md: $reference is not there" >&2
        broken=1
    fi
done
tests=$(git grep -hoE 'fn [a-z0-9_]+' -- '*.rs' | sort -u)
for page in SECURITY.md docs/design/*.md; do
    # shellcheck disable=SC2016 # backquotes, not a command
    for path in $(grep -oE '`(bench|core|host|packaging|plugins|scripts|sdk)/[A-Za-z0-9_./-]*`' "$page" | tr -d '`'); do
        if [ ! -e "$path" ]; then
            echo "$page: $path is not there" >&2
            broken=1
        fi
    done
    # Tests are sentences: four words or more.
    # shellcheck disable=SC2016
    for test in $(grep -oE '`([a-z0-9_]+::)*[a-z0-9]+(_[a-z0-9]+){3,}`' "$page" | tr -d '`'); do
        if ! echo "$tests" | grep -qx "fn ${test##*::}"; then
            echo "$page: there is no test $test" >&2
            broken=1
        fi
    done
done
exit "$broken"
