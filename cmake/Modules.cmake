# The building blocks of src/ and tests/: one module is one folder, one object library and one test executable.

# haplospin_add_module(<module> [COLD] SOURCES <file>... [LINK <target>...])
# A module of libhaplospin: no torch. A COLD one does nothing that takes long, and is compiled in less time: with -O1, and
# with -O0 for the sanitizers.
function(haplospin_add_module module)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "COLD" "" "SOURCES;LINK")
  add_library(haplospin_${module} OBJECT ${ARG_SOURCES})
  target_link_libraries(haplospin_${module} PUBLIC haplospin_settings ${ARG_LINK})
  haplospin_precompile(haplospin_${module} modules ${HAPLOSPIN_HEADERS})
  if(ARG_COLD)
    target_compile_options(haplospin_${module} PRIVATE $<$<CONFIG:Release>:-O1>)
    if(HAPLOSPIN_SANITIZE)
      target_compile_options(haplospin_${module} PRIVATE -O0)
    endif()
  endif()
endfunction()

# haplospin_compile_together(<target> <count>)
# Compiles `count` sources at a time as one: those that include LibTorch, of which each takes 5 s at least.
function(haplospin_compile_together target count)
  if(HAPLOSPIN_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count})
  endif()
  # A source that is included is taken for a header.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# haplospin_add_torch_module(<module> SOURCES <file>... [LINK <target>...])
# A module of libhaplospin_torch: uses LibTorch, and all of libhaplospin.
function(haplospin_add_torch_module module)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;LINK")
  add_library(haplospin_${module} OBJECT ${ARG_SOURCES})
  target_link_libraries(haplospin_${module} PUBLIC haplospin_settings haplospin LibTorch::LibTorch ${ARG_LINK})
  # LibTorch does the work; -O3 would compile its templates for a third longer.
  target_compile_options(haplospin_${module} PRIVATE $<$<CONFIG:Release>:-O1>)
  haplospin_precompile(haplospin_${module} torch_modules ${HAPLOSPIN_TORCH_HEADERS})
  haplospin_compile_together(haplospin_${module} 10)
endfunction()

# What most sources of the other modules include takes as long to parse as all the rest of them. A precompiled header is
# no substitute for an include: scripts/lint compiles without it.
set(HAPLOSPIN_HEADERS <algorithm> <array> <bit> <cmath> <cstdint> <cstring> <filesystem> <functional> <limits> <map>
  <memory> <mutex> <numeric> <optional> <set> <span> <string> <string_view> <unordered_map> <unordered_set> <utility>
  <vector> <fmt/format.h> <fmt/ranges.h> <oneapi/tbb/enumerable_thread_specific.h> <oneapi/tbb/parallel_for.h>
  <oneapi/tbb/task_arena.h>)

# LibTorch's headers cost a source half a minute: 20 s to parse, which a precompiled header saves, and 5 s for what the
# compiler does with them at the end of every source, which sources that are compiled together share. These are the
# headers that most sources include; <torch/torch.h> would cost twice as much.
set(HAPLOSPIN_TORCH_HEADERS <torch/types.h> <torch/autograd.h> <torch/nn/init.h> <torch/nn/module.h>
  <torch/nn/modules/container/modulelist.h> <torch/nn/modules/linear.h> <torch/nn/modules/normalization.h>
  <torch/nn/pimpl.h>)
set(HAPLOSPIN_TEST_HEADERS <gmock/gmock.h> <gtest/gtest.h> <fmt/format.h> <algorithm> <fstream> <map> <random> <string>
  <vector>)

# haplospin_precompile(<target> <group> <header>...)
# The first target of a group precompiles the headers, and the others reuse the result.
function(haplospin_precompile target group)
  get_property(owner GLOBAL PROPERTY HAPLOSPIN_HEADERS_OF_${group})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY HAPLOSPIN_HEADERS_OF_${group} ${target})
  endif()
endfunction()

# haplospin_add_test(<module> <file>...)
# One executable <module>_test from the module's tests, registered with ctest as <module>.<Suite>.<Test>.
function(haplospin_add_test module)
  add_executable(${module}_test ${ARGN})
  target_link_libraries(${module}_test PRIVATE haplospin_test_fixtures)
  haplospin_precompile(${module}_test tests ${HAPLOSPIN_TEST_HEADERS})
  if(HAPLOSPIN_SANITIZE)
    target_compile_options(${module}_test PRIVATE -O0)  # compiled in a third of the time of -O1
  endif()
  set_target_properties(${module}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  gtest_discover_tests(${module}_test TEST_PREFIX ${module}. DISCOVERY_TIMEOUT 120 PROPERTIES LABELS ${module} TIMEOUT 600)
endfunction()

if(EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo HAPLOSPIN_CPU_FLAGS REGEX "^flags" LIMIT_COUNT 1)
endif()

# haplospin_add_torch_test(<module> <file>...)
# As above, but registered with ctest as one test, <module>: loading LibTorch for each would take most of the time. COST:
# ctest starts the longest tests first.
function(haplospin_add_torch_test module)
  # An object library, because it is compiled with -fPIC and -O1 as the precompiled header of the modules is.
  add_library(${module}_test_objects OBJECT ${ARGN})
  target_link_libraries(${module}_test_objects PUBLIC haplospin_test_fixtures haplospin_torch)
  haplospin_precompile(${module}_test_objects torch_modules)
  haplospin_compile_together(${module}_test_objects 12)
  add_executable(${module}_test)
  target_link_libraries(${module}_test PRIVATE ${module}_test_objects)
  set_target_properties(${module}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${module} COMMAND ${module}_test)
  # The networks of tests are so small that a second thread only waits; the threads of tests that need two are their own.
  set(environment OMP_NUM_THREADS=1)
  # As src/cli/learning/torch/torch_library.cpp: OpenBLAS does not know all Intel processors.
  if(HAPLOSPIN_CPU_FLAGS MATCHES " avx2 ")
    list(APPEND environment OPENBLAS_CORETYPE=Haswell)
  endif()
  set_tests_properties(${module} PROPERTIES LABELS ${module} TIMEOUT 1200 COST 30 ENVIRONMENT "${environment}")
endfunction()
