# The building blocks of src/ and tests/: one room is one folder, one object library and one test executable.

# haplospin_add_room(<room> SOURCES <file>... [LINK <target>...])
# A room of libhaplospin: no torch.
function(haplospin_add_room room)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;LINK")
  add_library(haplospin_${room} OBJECT ${ARG_SOURCES})
  target_link_libraries(haplospin_${room} PUBLIC haplospin_settings ${ARG_LINK})
endfunction()

# haplospin_add_torch_room(<room> SOURCES <file>... [LINK <target>...])
# A room of libhaplospin_torch: sees LibTorch through a precompiled header, and all of libhaplospin.
function(haplospin_add_torch_room room)
  haplospin_add_room(${room} ${ARGN})
  target_link_libraries(haplospin_${room} PUBLIC haplospin LibTorch::LibTorch)
  haplospin_use_torch_header(haplospin_${room})
endfunction()

# Compiling torch's headers takes half a minute: the first room does it, the others reuse the result.
function(haplospin_use_torch_header target)
  get_property(owner GLOBAL PROPERTY HAPLOSPIN_TORCH_HEADER_OWNER)
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE <torch/torch.h>)
    set_property(GLOBAL PROPERTY HAPLOSPIN_TORCH_HEADER_OWNER ${target})
  endif()
endfunction()

# haplospin_add_test(<room> <file>...)
# One executable <room>_test from the room's tests, registered with ctest as <room>.<Suite>.<Test>.
function(haplospin_add_test room)
  add_executable(${room}_test ${ARGN})
  target_link_libraries(${room}_test PRIVATE haplospin haplospin_test_settings)
  set_target_properties(${room}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  gtest_discover_tests(${room}_test TEST_PREFIX ${room}. DISCOVERY_TIMEOUT 120 PROPERTIES LABELS ${room} TIMEOUT 600)
endfunction()

# haplospin_add_torch_test(<room> <file>...)
# As above, but registered with ctest as one test, <room>: loading LibTorch for each would take most of the time.
function(haplospin_add_torch_test room)
  if(NOT HAPLOSPIN_TORCH)
    return()
  endif()
  # Objects first: they are compiled with -fPIC as the precompiled header is.
  add_library(${room}_test_objects OBJECT ${ARGN})
  target_link_libraries(${room}_test_objects PUBLIC haplospin_torch haplospin_test_settings)
  haplospin_use_torch_header(${room}_test_objects)
  add_executable(${room}_test)
  target_link_libraries(${room}_test PRIVATE ${room}_test_objects)
  set_target_properties(${room}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${room} COMMAND ${room}_test)
  set_tests_properties(${room} PROPERTIES LABELS ${room} TIMEOUT 1200)
endfunction()

# Adds the sub-folders that exist, in the given order.
function(haplospin_add_rooms)
  foreach(room IN LISTS ARGN)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/CMakeLists.txt)
      add_subdirectory(${room})
    endif()
  endforeach()
endfunction()
