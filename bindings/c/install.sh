#!/usr/bin/env bash
# Installs the library for C and C++: install.sh PREFIX [FOLDER]
#
# It builds the library, or takes libbrolga_c.so and libbrolga_c.a from FOLDER, and copies them to PREFIX/lib, the headers to
# PREFIX/include, and what pkg-config reads to PREFIX/lib/pkgconfig. `cargo cinstall` of cargo-c does the same with a versioned library.
set -eu
case ${1:-} in
-*) echo "usage: install.sh PREFIX [FOLDER]" >&2; exit 2 ;;
esac
prefix=${1:?usage: install.sh PREFIX [FOLDER]}
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -gt 1 ]; then
    built=$2
else
    # With the names of its functions, for debuggers and valgrind.
    cargo rustc --profile dist --package brolga-c --manifest-path "$here/Cargo.toml" -- -C strip=debuginfo
    built=${CARGO_TARGET_DIR:-$here/../../target}/dist
fi
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../../Cargo.toml" | head -n 1)
mkdir -p "$prefix/lib/pkgconfig" "$prefix/include"
prefix=$(cd "$prefix" && pwd)
found=
for name in libbrolga_c.so libbrolga_c.dylib libbrolga_c.a; do
    if [ -e "$built/$name" ]; then
        cp "$built/$name" "$prefix/lib/$name"
        found=yes
    fi
done
if [ -z "$found" ]; then
    echo "there is no libbrolga_c in $built" >&2
    exit 1
fi
cp "$here/include/brolga.h" "$here/include/brolga.hpp" "$prefix/include/"
cat >"$prefix/lib/pkgconfig/brolga_c.pc" <<END
prefix=$prefix
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: brolga_c
Description: Runs Direct3D shader bytecode on the CPU
Version: $version
Libs: -L\${libdir} -lbrolga_c
Libs.private: -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc
Cflags: -I\${includedir}
END
echo "brolga_c $version is in $prefix"
