#!/usr/bin/env bash
# Runs the tests under AddressSanitizer, with a guard page on each side of every buffer.
#
# The sanitizer sees what our Rust code does (crates of others and the standard library are as they come, but all their
# memory passes through the sanitizer's allocator). Machine code that we generate it cannot see. So all memory that such
# code may touch lies beside pages that nobody may touch (`GuardPages`): once so that the first byte after the last word
# is in a guard, and once more so that the byte before the first one is.
#
# usage: scripts/asan.sh [arguments of cargo test; --workspace if none]
# BROLGA_GUARDS: the sides to run; `after before` if not set.
set -eu
cd "$(dirname "$0")/.."

# Sanitizers, and flags for some crates only, are unstable options. Nothing else is built with them.
export RUSTC_BOOTSTRAP=1
# Examples in documentation are linked by rustdoc, which does not look at the profile.
export RUSTDOCFLAGS="-Zsanitizer=address"
# Leaks are failures too.
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:detect_stack_use_after_return=1:strict_init_order=1}"

[ $# -gt 0 ] || set -- --workspace
for side in ${BROLGA_GUARDS:-after before}; do
    echo "asan: guard pages right $side each buffer" >&2
    flags="'-Zsanitizer=address', '--cfg', 'brolga_guard_pages=\"$side\"'"
    cargo test -Zprofile-rustflags \
        --config "profile.dev.rustflags=[$flags]" --config 'profile.dev.package."*".rustflags=[]' "$@"
done
