#!/usr/bin/env bash
# Builds the native core for aarch64 and passes its tests in an emulator: `make test-aarch64`, or this script with
# arguments for pytest. docs/howto/test-on-aarch64.md says what it needs. All it makes lies in build/aarch64.
set -euo pipefail
cd "$(dirname "$0")/../.."
place=$PWD/build/aarch64
system=$place/system     # an aarch64 Debian, as far as Python needs it
packages=$place/packages # what the tests import, Ludens among it
python=$place/python     # that Python, run by the emulator

if [ ! -x "$python" ]; then
    mkdir -p "$place/archives"
    (
        cd "$place/archives"
        names=(python3.11 python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libpython3.11-dev libc6 libgcc-s1
            libstdc++6 zlib1g libexpat1 libffi8 libssl3 libbz2-1.0 liblzma5 libsqlite3-0 libuuid1)
        apt-get download "${names[@]/%/:arm64}"
        for archive in *.deb; do dpkg -x "$archive" "$system"; done
    )
    wheels=(manylinux2014_aarch64 manylinux_2_27_aarch64 manylinux_2_28_aarch64)
    .venv/bin/pip install --target "$packages" "${wheels[@]/#/--platform=}" --only-binary :all: --python-version 3.11 \
        --implementation cp --abi cp311 --abi abi3 --abi none \
        cffi click clingo lark numpy rich rich-click twisted hypothesis pytest pytest-randomly pytest-xdist
    # Child processes, too, are started in the emulator.
    printf 'import sys\nsys.executable = sys._base_executable = "%s"\n' "$python" > "$packages/sitecustomize.py"
    printf '#!/bin/sh\nexec qemu-aarch64 -L "%s" "%s/usr/bin/python3.11" "$@"\n' "$system" "$system" > "$python"
    chmod +x "$python"
fi

.venv/bin/cmake -S . -B "$place/core" -G Ninja -DCMAKE_MAKE_PROGRAM="$PWD/.venv/bin/ninja" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
    -DCMAKE_CXX_FLAGS="-isystem $system/usr/include" -DPython_EXECUTABLE="$PWD/.venv/bin/python" \
    -DPython_INCLUDE_DIR="$system/usr/include/python3.11" -DSKBUILD_SOABI=abi3 -DLUDENS_WERROR=ON
.venv/bin/cmake --build "$place/core"
rm -rf "$packages/ludens"
cp -rL src/ludens "$packages"
cp "$place/core/_core.abi3.so" "$packages/ludens/native"

export PYTHONPATH=$packages
exec "$python" -m pytest "${@:-tests/native}"
