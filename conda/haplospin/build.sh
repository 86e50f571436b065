#!/usr/bin/env bash
set -euo pipefail
# shellcheck disable=SC2086  # several arguments
cmake -S . -B build-conda -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_PREFIX_PATH="$PREFIX" -DHAPLOSPIN_TORCH_ROOT="$PREFIX" -DHAPLOSPIN_TESTS=OFF \
  -DHAPLOSPIN_WARNINGS_AS_ERRORS=OFF
cmake --build build-conda --parallel "${CPU_COUNT:-1}"
cmake --install build-conda
