#!/usr/bin/env bash
# Writes a hash of the machine code of every shader of the repository, plain and with states, and of all that its jobs and scenes run.
# What it writes before and after a change of structure must be the same.
#
# usage: scripts/code.sh FILE
set -eu
cd "$(dirname "$0")/.."
[ $# = 1 ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }

cache=$(mktemp -d) outputs=$(mktemp -d)
trap 'rm -rf "$cache" "$outputs"' EXIT
cargo build -q --bin brolga
for path in examples/*.toml examples/*/scene.json examples/*.scene.json tests/data/scenes/*; do
    [ ! -e "$path" ] || target/debug/brolga run --cache "$cache" --output "$outputs" --engine jit --timeout 60 "$path" > /dev/null || true
done
cargo run -q -p brolga-testing -- code "$cache" > "$1"
