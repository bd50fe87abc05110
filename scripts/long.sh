#!/usr/bin/env bash
# The long runs, which CI leaves out. docs/testing.md says what each is for and how long it takes.
#
# usage: scripts/long.sh NAME...       (one of the functions below; `all` for all but the last two)
set -eu
cd "$(dirname "$0")/.."

# The library with the features that .ci/run does not look at.
features() {
    cargo clippy -p brolga --lib --no-default-features --features files -- -D warnings
    cargo clippy -p brolga --lib --no-default-features --features document -- -D warnings
}

# Code for AArch64, which nothing runs.
arm64() { cargo test -p brolga-jit --features arm64 --lib another_processor; }

# Machine code for every set of features and size of vectors that the processor has.
targets() { BROLGA_TARGETS=all cargo test -p brolga-jit --test it; }

# The corpus, draws of it and all scenes in each float mode that a host may have.
modes() {
    for mode in 7f80 5f80 3f80 9fc0 1f00 1e80 1d80 1b80 1780 0f80; do
        BROLGA_MODE=$mode cargo test -p brolga-runtime --test it corpus::
        BROLGA_MODE=$mode cargo test -p brolga --test it -- draws:: scenes::
    done
}

# Wider vectors: every shader of the corpus in packets of every width; a million pieces of damaged code.
widths() { BROLGA_WIDTHS=all cargo test -p brolga-runtime --test it widening:: -- --nocapture; }
damage() { BROLGA_SEEDS=0..1000000 cargo test -p brolga-jit --lib damaged -- --nocapture; }

# A million batches of any words, of shaders in any state.
batches() { BROLGA_SEEDS=0..22000 cargo test -p brolga-runtime --test it states:: -- --nocapture; }

# Random and mutated shaders.
soak() { cargo run --profile profiling -p brolga-testing -- soak --count 100000 --threads 2; }
mutants() {
    cargo run --profile profiling -p brolga-testing -- mutants --count 100000 --threads 2
    cargo test --profile profiling -p brolga-bytecode --test it corpus::mutation -- --ignored --nocapture
}

# Shaders of Direct3D 9: random ones, mutants of the corpus.
direct3d9() {
    BROLGA_SEEDS=0..100000 cargo test -p brolga-jit --test it direct3d9::random
    BROLGA_SEEDS=0..2000 cargo test -p brolga --test it direct3d9::mutants -- --nocapture
}

# Twenty pictures of each shader of the corpus; 30,000 random draws.
draws() { BROLGA_DRAWS=20 cargo test -p brolga --test it draws:: -- --nocapture; }
model() { BROLGA_SEEDS=0..30000 cargo test -p brolga --test it drawing::model -- --nocapture; }

# 100,000 random geometry shaders with random stream output, and as many strips of all topologies.
geometry() {
    BROLGA_SEEDS=0..100000 cargo test -p brolga --test it geometry::random -- --nocapture
    BROLGA_SEEDS=0..100000 cargo test -p brolga-raster --test it assembly::random -- --nocapture
}

# 100,000 changed texts in WGSL, and as many random programs; shaders of a folder, if BROLGA_WGSL names one.
wgsl() {
    BROLGA_SEEDS=0..100000 cargo test -p brolga-wgsl --test it mutants:: -- --nocapture
    BROLGA_SEEDS=0..100000 cargo test -p brolga-wgsl --test it random:: -- --nocapture
    cargo test -p brolga-wgsl --test it public:: -- --ignored --nocapture
}

# What a check finds in 100,000 random programs that lack barriers, and what a plain model finds.
checks() {
    BROLGA_SEEDS=0..100000 cargo test -p brolga-ir --test it insight:: -- --nocapture
    BROLGA_SEEDS=0..20000 cargo test -p brolga-runtime --test it check:: -- --nocapture
}

# A million samples of each format on fast paths: packets of 16, then three of each texture with copies; and the largest texture.
samples() {
    BROLGA_ROUNDS=62500 cargo test -p brolga-sample --test it fast::
    BROLGA_ROUNDS=21000 cargo test -p brolga-sample --test it copied:: -- --include-ignored
}

# 100,000 dispatches at once, while the memory of the process is watched.
stress() { cargo test --profile profiling -p brolga-runtime --test stress -- --ignored --nocapture; }

# Inputs that want more memory than there is, under many limits.
memory() { BROLGA_MEMORY=all cargo test -p brolga --test cli memory:: -- --nocapture; }

# How soon every kind of work ends after its limit.
stop() {
    cargo test --profile profiling -p brolga-runtime --test it latency:: -- --ignored --nocapture
    cargo bench --profile profiling -p brolga-benches --bench stop_outside
}

# Guard pages and AddressSanitizer; packages as for a registry.
sanitizer() { scripts/asan.sh; }
packages() { scripts/packages.sh; }

[ $# -gt 0 ] || { sed -n 's/^# usage: /usage: /p' "$0"; sed -n 's/^\([a-z0-9]*\)() .*/    \1/p' "$0"; exit 2; } >&2
[ "$*" != all ] || set -- features arm64 targets modes widths damage batches soak mutants direct3d9 draws model geometry wgsl samples stress memory stop
for name; do
    [ "$(type -t "$name")" = function ] || { echo "long.sh: there is no run called $name" >&2; exit 2; }
done
for name; do "$name"; done
