#!/usr/bin/env bash
# make demo: the command `expose` on a real table and a real stream (examples/README.md says what they are).
# Every command is printed before it runs. usage: examples/demo.sh EXPOSE FOLDER
set -euo pipefail

expose=$(realpath "$1")
examples=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
mkdir -p "$2" && cd "$2"
ln -sf "$examples"/*.csv .
PATH=$(dirname "$expose"):$PATH

say() { printf '\n# %s\n' "$@"; }
try() { printf '$ %s\n' "$1"; eval "$1"; }

say "A table: cell samples, of which a third is malignant. That is no anomaly; kept is every tenth of them, as in a screening."
try "awk -F, '\$NF != 1 || n++ % 10 == 0' breastw.csv > cells.csv"
try "expose detect cells.csv --label label --top 8 --reasons 2 --format table"

say "How good is that? The label was never used to find them."
try "expose evaluate cells.csv --label label"
try "expose report cells.csv --label label"

say "A model is a sum. Learned in two halves and merged, it is the model of all rows, to the bit;"
try "expose fit cells.csv --label label -o all.expose"
try "head -n 201 cells.csv > first.csv; sed 2,201d cells.csv > second.csv"
try "expose fit first.csv --plan all.expose -o first.expose"
try "expose fit second.csv --plan all.expose -o second.expose"
try "expose merge first.expose second.expose -o merged.expose"
try "cmp all.expose merged.expose && echo the same bits"
printf '# and what it forgets has never been there.\n'
try "expose forget -m merged.expose second.csv"
try "cmp first.expose merged.expose && echo the same bits"

say "A stream: taxi passengers in New York, each half hour. Normal is what the last eight weeks were like at that time."
try "expose watch taxi.csv --time timestamp --id timestamp --memory window:2688 --alpha 0.001 --only-anomalies --format table"
printf '# The hour that came twice when summer time ended; New Year; the snow storm of January. No other alarm.\n'
printf '# Two days that are known to be unusual are missed, Thanksgiving and Christmas; --alpha 0.002 finds them too.\n'

say "The year goes on, and the stream moves: is January unlike July?"
try "grep -E 'time|2014-07' taxi.csv > july.csv; grep -E 'time|2015-01' taxi.csv > january.csv"
try "expose drift july.csv january.csv --time timestamp"

printf '\nThe report is a page for a browser: %s/report.html\n' "$PWD"
