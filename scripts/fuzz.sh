#!/usr/bin/env bash
# Fuzzes one target of `fuzz/` with libFuzzer, on the stable compiler.
#
# The seeds are the shaders (for `assemble` their listings, for `document` the documents, for `draw` those of scenes in pairs) of this
# repository, and of any folders in BROLGA_SEEDS. What is found stays in `fuzz/corpus/TARGET`, what fails in `fuzz/artifacts/TARGET`.
#
# usage: scripts/fuzz.sh TARGET [SECONDS] [options of libFuzzer]
set -eu
cd "$(dirname "$0")/.."
target=${1:?"which of: $(ls fuzz/targets | sed 's/\.rs$//' | tr '\n' ' ')"}
seconds=${2:-60}
shift $(($# < 2 ? $# : 2))

features=
case $target in
    assemble) kind=asm ;;
    document) kind=documents features=engine ;;
    interpret | direct3d9) kind=cso features=engine ;;
    draw) kind=pairs features=engine ;;
    stages) kind=stages features=engine ;;
    # Any bytes are choices of a texture, a sampler and operands.
    sample) kind=cso features=sample ;;
    wgsl) kind=wgsl features=wgsl ;;
    *) kind=cso ;;
esac
corpus=fuzz/corpus/$target
seeds=fuzz/seeds/$target
mkdir -p "$corpus" "$seeds" "fuzz/artifacts/$target"
if [ $kind = documents ]; then names=(-name '*.toml' -o -name '*.json'); else names=(-name "*.$kind"); fi
if [ $kind = stages ]; then
    # State, then the shader.
    for shader in tests/data/graphics/*.[ghd]s_*.cso tests/data/scenes/*/[ghd]s*.cso examples/*/*_[ghd]s.cso; do
        for state in '\1\0\0' '\3\1\17' '\2\0\17' '\17\0\12'; do
            seed="$seeds/$(echo "$shader" | tr / _)_$(echo "$state" | tr -d '\\')"
            { printf "$state\0\1\2\3\4\6\0\0\100\12\74\2\1"; cat "$shader"; } > "$seed"
        done
    done
fi
find tests examples bench/suite/src/shaders ${BROLGA_SEEDS:-} -type f \( "${names[@]}" \) | while read -r file; do
    cp "$file" "$seeds/$(echo "$file" | tr / _)"
done
if [ $kind = pairs ]; then
    # State, the vertex shader's size in two bytes, both shaders.
    for vertex in tests/data/scenes/*/vs*.cso examples/*_vs.cso examples/*/*_vs.cso; do
        # The first pixel shader beside it: any will do.
        for pixel in "${vertex%vs*.cso}"ps*.cso; do break; done
        [ -e "$pixel" ] || continue
        size=$(stat -c %s "$vertex")
        for state in "\1\76" "\2\356\0\0\0\0\0\3\6\11\2\0\1\2\3\1\100"; do
            { printf "$state"; head -c 32 /dev/zero; } | head -c 22 > "$seeds/draw"
            { printf '\36\10\0\200\1\0\0\0\0\0'; printf "\\x$(printf %02x $((size & 255)))\\x$(printf %02x $((size >> 8)))"; } >> "$seeds/draw"
            cat "$seeds/draw" "$vertex" "$pixel" > "$seeds/$(echo "$vertex" | tr / _)_${#state}"
        done
    done
    rm "$seeds/draw"
fi

# What `cargo fuzz` passes, but for the sanitizer, which needs an unstable option. With a target named, build scripts are
# not instrumented.
host=$(rustc -vV | sed -n 's/^host: //p')
RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing" \
    cargo build --release --manifest-path fuzz/Cargo.toml --target "$host" --bin "$target" --features "$features"
directory=${CARGO_TARGET_DIR:-fuzz/target}
"$directory/$host/release/$target" "$corpus" "$seeds" -artifact_prefix="fuzz/artifacts/$target/" \
    -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 "$@"
