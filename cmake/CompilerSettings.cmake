# How everything here is compiled. Vector instructions beyond the baseline are chosen at run time (Highway), so there is
# no -march=native: a binary runs on any machine of its architecture.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

# The build tree mirrors the installed one, so the binary finds its libraries the same way in both.
include(GNUInstallDirs)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

add_library(haplospin_settings INTERFACE)
target_include_directories(haplospin_settings INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include  # public headers
  ${PROJECT_SOURCE_DIR}/src)                                   # private ones, as "module/header.h"
target_compile_options(haplospin_settings INTERFACE
  -Wall -Wextra -Wpedantic $<$<BOOL:${HAPLOSPIN_WARNINGS_AS_ERRORS}>:-Werror>
  -Wno-missing-field-initializers  # designated initializers leave the rest at its default
  # GCC 12 reports string concatenation wrongly (its bug 105651), with a precompiled <string> in three ways.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
  # GCC searches for memory to free each time that its heap has doubled, a tenth of its time. Half a GiB holds most sources.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>
  -fno-semantic-interposition)  # calls inside the shared library are inlined as they would be in a static one

# Highway compiles a kernel for each instruction set. Of those of x86, SSE4, AVX2 and AVX3 (AVX-512) were measured; these
# bits leave out SSSE3, AVX3_DL, AVX3_ZEN4, AVX3_SPR and AVX10_2, whose names its older versions do not have. Of those of
# ARM, NEON was run; the bits leave out SVE in all its forms, on which GCC 12 crashes.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  target_compile_definitions(haplospin_settings INTERFACE HWY_DISABLED_TARGETS=0xFFF8000)
else()
  target_compile_definitions(haplospin_settings INTERFACE HWY_DISABLED_TARGETS=0x10D8)
endif()

set(HAPLOSPIN_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, such as address,undefined or thread")
if(HAPLOSPIN_SANITIZE)
  # With sanitizers GCC reports many variables as uninitialized that are not.
  add_compile_options(-fsanitize=${HAPLOSPIN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_link_options(-fsanitize=${HAPLOSPIN_SANITIZE})
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness is what ccache needs to cache users of a precompiled header. The rest lets one clone use what another
  # has compiled: paths are relative to the sources, also those of __FILE__ and of debug information.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true ${CCACHE_PROGRAM})
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
endif()
