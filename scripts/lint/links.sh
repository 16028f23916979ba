#!/bin/sh
# Every relative link in the documentation must lead to a file of the repository, and its #anchor to a heading there.
set -eu
cd "$(dirname "$0")/../.."

# The anchors of a page, as GitHub makes them of its headings.
anchors() {
    # shellcheck disable=SC2016 # backquotes, not a command
    sed '/^ *```/,/^ *```/d' "$1" | sed -n 's/^#\{1,6\} *//p' | tr '[:upper:]' '[:lower:]' |
        sed 's/\[\([^]]*\)\]([^)]*)/\1/g; s/[][`*(),.:;?!/"'"'"'{}…]//g; s/ /-/g'
}

broken=0
for page in $(git ls-files -co --exclude-standard -- '*.md'); do
    [ -e "$page" ] || continue
    # shellcheck disable=SC2016 # backquotes, not a command
    links=$(sed '/^```/,/^```/d' "$page" | grep -oE '\]\([^): ]+\)' | sed 's/^](//; s/)$//' || true)
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
exit "$broken"
