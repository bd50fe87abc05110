#!/usr/bin/env bash
# Packages every crate as for a registry, builds a program from the packages alone, and checks that its disk cache works there. Makes a
# Python wheel, and installs it into an environment of its own.
#
# usage: scripts/packages.sh [FOLDER]       (default target/packages; takes many minutes)
set -eu
cd "$(dirname "$0")/.."
work=$(realpath -m "${1:-target/packages}")
crates="brolga-fingerprint brolga-fenv brolga-bytecode brolga-ir brolga-jit brolga-json brolga-resource brolga-sample brolga-runtime brolga-wgsl brolga-raster brolga brolga-c"

rm -rf "$work/crates" "$work/program" "$work/cache"
mkdir -p "$work/crates" "$work/program/src" "$work/cache"
chmod 700 "$work/cache"
cargo package --quiet --no-verify --allow-dirty --target-dir "$work/target" $(printf -- '-p %s ' $crates)
for crate in $crates; do
    tar -xzf "$work/target/package/$crate-"[0-9]*.crate -C "$work/crates"
    [ -s "$work/crates/$crate-"[0-9]*/LICENSE-MIT ] || { echo "packages: $crate has no licence" >&2; exit 1; }
done

{
    printf '[package]\nname = "program"\nversion = "0.0.0"\nedition = "2024"\n\n[workspace]\n\n'
    printf '[dependencies]\nbrolga = { version = "0.1.0", default-features = false }\n\n[patch.crates-io]\n'
    for crate in $crates; do
        printf '%s = { path = "%s" }\n' "$crate" "$work/crates/$(cd "$work/crates" && ls -d "$crate"-[0-9]*)"
    done
} > "$work/program/Cargo.toml"
cp Cargo.lock "$work/program/"
cat > "$work/program/src/main.rs" <<'PROGRAM'
use brolga::bytecode::assembler::assemble;
use brolga::{Bindings, Cache, CompileOptions, Device, Dispatch, View};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listing = "
        cs_5_0
        dcl_uav_raw u0
        dcl_input vThreadID.x
        dcl_temps 1
        dcl_thread_group 64, 1, 1
        ishl r0.x, vThreadID.x, l(2)
        store_raw u0.x, r0.x, vThreadID.x
        ret";
    let cache = Cache::open(std::env::args().nth(1).ok_or("no folder")?)?;
    let device = Device::builder().cache(cache.clone()).build()?;
    let shader = device.compile(&assemble(listing, &Default::default())?.bytes, &CompileOptions::default())?;
    let numbers = device.buffer_from(&[7u32; 128])?;
    let mut bindings = Bindings::new();
    bindings.set("u0".parse()?, View::raw(numbers.clone())?);
    device.dispatch(&shader, &bindings, &Dispatch::new([2, 1, 1]))?;
    assert!((0..128).eq(numbers.to_vec::<u32>()?));
    let counters = cache.counters();
    println!("{} found, {} not found", counters.hits, counters.misses);
    Ok(())
}
PROGRAM

cargo build --quiet --manifest-path "$work/program/Cargo.toml" --target-dir "$work/target"
program="$work/target/debug/program"
first=$("$program" "$work/cache")
second=$("$program" "$work/cache")
echo "packages: first run: $first; second run: $second"
[ "$first" = "0 found, 1 not found" ] && [ "$second" = "1 found, 0 not found" ]

python3 -m venv --clear "$work/environment"
"$work/environment/bin/pip" install --quiet --disable-pip-version-check maturin
rm -rf "$work/wheels"
"$work/environment/bin/maturin" build --quiet --locked --manifest-path bindings/python/Cargo.toml \
    --target-dir "$work/target" --out "$work/wheels"
"$work/environment/bin/pip" install --quiet --disable-pip-version-check "$work"/wheels/*.whl
"$work/environment/bin/python" -c 'import brolga; print("packages: wheel", brolga.__version__)'
