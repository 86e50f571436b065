# The building blocks of src/ and tests/: one module is one folder, one object library and one test executable.

# haplospin_add_module(<module> SOURCES <file>... [LINK <target>...])
# A module of libhaplospin: no torch.
function(haplospin_add_module module)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;LINK")
  add_library(haplospin_${module} OBJECT ${ARG_SOURCES})
  target_link_libraries(haplospin_${module} PUBLIC haplospin_settings ${ARG_LINK})
endfunction()

# haplospin_add_torch_module(<module> SOURCES <file>... [LINK <target>...])
# A module of libhaplospin_torch: sees LibTorch through a precompiled header, and all of libhaplospin.
function(haplospin_add_torch_module module)
  haplospin_add_module(${module} ${ARGN})
  target_link_libraries(haplospin_${module} PUBLIC haplospin LibTorch::LibTorch)
  haplospin_use_torch_header(haplospin_${module})
endfunction()

# Compiling torch's headers takes half a minute: the first module does it, the others reuse the result.
function(haplospin_use_torch_header target)
  get_property(owner GLOBAL PROPERTY HAPLOSPIN_TORCH_HEADER_OWNER)
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE <torch/torch.h>)
    set_property(GLOBAL PROPERTY HAPLOSPIN_TORCH_HEADER_OWNER ${target})
  endif()
endfunction()

# haplospin_add_test(<module> <file>...)
# One executable <module>_test from the module's tests, registered with ctest as <module>.<Suite>.<Test>.
function(haplospin_add_test module)
  add_executable(${module}_test ${ARGN})
  target_link_libraries(${module}_test PRIVATE haplospin_test_fixtures)
  set_target_properties(${module}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  gtest_discover_tests(${module}_test TEST_PREFIX ${module}. DISCOVERY_TIMEOUT 120 PROPERTIES LABELS ${module} TIMEOUT 600)
endfunction()

# haplospin_add_torch_test(<module> <file>...)
# As above, but registered with ctest as one test, <module>: loading LibTorch for each would take most of the time.
function(haplospin_add_torch_test module)
  if(NOT HAPLOSPIN_TORCH)
    return()
  endif()
  # Objects first: they are compiled with -fPIC as the precompiled header is.
  add_library(${module}_test_objects OBJECT ${ARGN})
  target_link_libraries(${module}_test_objects PUBLIC haplospin_test_fixtures haplospin_torch)
  haplospin_use_torch_header(${module}_test_objects)
  add_executable(${module}_test)
  target_link_libraries(${module}_test PRIVATE ${module}_test_objects)
  set_target_properties(${module}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${module} COMMAND ${module}_test)
  set_tests_properties(${module} PROPERTIES LABELS ${module} TIMEOUT 1200)
endfunction()

# Adds the sub-folders that exist, in the given order.
function(haplospin_add_modules)
  foreach(module IN LISTS ARGN)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${module}/CMakeLists.txt)
      add_subdirectory(${module})
    endif()
  endforeach()
endfunction()
