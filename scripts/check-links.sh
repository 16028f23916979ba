#!/bin/sh
# Every relative link in the documentation must lead to a file of the repository.
set -eu
cd "$(dirname "$0")/.."

broken=0
for page in $(git ls-files -co --exclude-standard -- '*.md'); do
    # shellcheck disable=SC2016 # backquotes, not a command
    links=$(sed '/^```/,/^```/d' "$page" | grep -oE '\]\([^)#: ]+[)#]' | sed 's/^](//; s/[)#]$//' || true)
    links="$links $(grep -oE '(src|srcset)="[^":]+"' "$page" | sed 's/.*="//; s/"$//' || true)"
    for link in $links; do
        if [ ! -e "$(dirname "$page")/$link" ]; then
            echo "$page: $link is not there" >&2
            broken=1
        fi
    done
done
exit "$broken"
