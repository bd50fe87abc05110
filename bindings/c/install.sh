#!/usr/bin/env bash
# Installs the library for C and C++: install.sh PREFIX [FOLDER]
#
# It builds the library, or takes libbrolga_c.so and libbrolga_c.a from FOLDER, and copies them to PREFIX/lib, the headers to
# PREFIX/include, and what pkg-config and CMake read to PREFIX/lib/pkgconfig and PREFIX/lib/cmake. `cargo cinstall` of cargo-c does the same with a versioned library.
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
mkdir -p "$prefix/lib/pkgconfig" "$prefix/lib/cmake/brolga_c" "$prefix/include"
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
cp "$here/brolga_c-config.cmake" "$prefix/lib/cmake/brolga_c/"
cat >"$prefix/lib/cmake/brolga_c/brolga_c-config-version.cmake" <<END
# Before 1.0 a change of the second number may break programs.
set(PACKAGE_VERSION "$version")
string(REGEX MATCH "^[0-9]+.[0-9]+" _brolga_own "\${PACKAGE_VERSION}")
string(REGEX MATCH "^[0-9]+.[0-9]+" _brolga_wanted "\${PACKAGE_FIND_VERSION}")
if(NOT PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
elseif(_brolga_own STREQUAL _brolga_wanted AND NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
endif()
END
echo "brolga_c $version is in $prefix"
