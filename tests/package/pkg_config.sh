#!/bin/sh
# pkg_config.sh -- builds and runs the consumers with what pkg-config says.
#
# usage: pkg_config.sh static|shared PREFIX LIBDIR FOLDER CC CXX
set -eux
kind=$1 libdir=$2/$3 folder=$4 cc=$5 cxx=$6
sources=$(dirname "$0")/consumer
export PKG_CONFIG_PATH="$libdir/pkgconfig"
mkdir -p "$folder"

cflags=$(pkg-config --cflags cleave)
if [ "$kind" = static ]; then
  # The linker takes the shared library where it finds both kinds.
  libs=$(pkg-config --static --libs cleave | sed "s,-lcleave,$libdir/libcleave.a,")
else
  libs="$(pkg-config --libs cleave) -Wl,-rpath,$libdir"
fi

# shellcheck disable=SC2086
"$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror $cflags "$sources/use.c" -o "$folder/use_c" $libs
# shellcheck disable=SC2086
"$cxx" -std=c++20 -Wall -Wextra -Wpedantic -Werror $cflags "$sources/use.cpp" -o "$folder/use_cpp" $libs
"$folder/use_c"
"$folder/use_cpp"

# Each kind is what it says.
linked=$(ldd "$folder/use_c")
case "$kind:$linked" in
  static:*libcleave*) exit 1 ;;
  static:* | shared:*libcleave*) ;;
  *) exit 1 ;;
esac
