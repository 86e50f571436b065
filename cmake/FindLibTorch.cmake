# Finds LibTorch by its headers and libraries, and defines the target LibTorch::LibTorch. The package's own CMake files
# are not used: Debian's miss dependencies and a CUDA wheel's want the CUDA toolkit, which linking does not need.
#
#   HAPLOSPIN_TORCH_ROOT   a pip wheel's site-packages/torch, an unpacked libtorch archive or a conda environment;
#                          empty: the system's (Debian's libtorch-dev)
set(HAPLOSPIN_TORCH_ROOT "" CACHE PATH "Folder of another LibTorch (holds include/ and lib/)")

if(HAPLOSPIN_TORCH_ROOT)
  set(_where PATHS ${HAPLOSPIN_TORCH_ROOT} NO_DEFAULT_PATH)
endif()
# The cached results belong to one root; search again if it has changed.
if(NOT "${HAPLOSPIN_TORCH_ROOT}" STREQUAL "${_haplospin_torch_found_in}")
  unset(LibTorch_INCLUDE_DIR CACHE)
  foreach(_library torch torch_cpu c10)
    unset(LibTorch_${_library}_LIBRARY CACHE)
  endforeach()
  set(_haplospin_torch_found_in "${HAPLOSPIN_TORCH_ROOT}" CACHE INTERNAL "")
endif()

find_path(LibTorch_INCLUDE_DIR torch/csrc/api/include/torch/version.h ${_where} PATH_SUFFIXES include)
foreach(_library torch torch_cpu c10)
  find_library(LibTorch_${_library}_LIBRARY ${_library} ${_where} PATH_SUFFIXES lib)
endforeach()

# The version is in one of two headers, depending on the version.
foreach(_header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
  if(NOT LibTorch_VERSION AND EXISTS "${LibTorch_INCLUDE_DIR}/${_header}")
    file(READ "${LibTorch_INCLUDE_DIR}/${_header}" _text)
    if(_text MATCHES "TORCH_VERSION_MAJOR ([0-9]+)")
      set(LibTorch_VERSION ${CMAKE_MATCH_1})
      string(REGEX MATCH "TORCH_VERSION_MINOR ([0-9]+)" _ "${_text}")
      string(APPEND LibTorch_VERSION .${CMAKE_MATCH_1})
      string(REGEX MATCH "TORCH_VERSION_PATCH ([0-9]+)" _ "${_text}")
      string(APPEND LibTorch_VERSION .${CMAKE_MATCH_1})
    endif()
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_torch_cpu_LIBRARY LibTorch_torch_LIBRARY LibTorch_c10_LIBRARY LibTorch_INCLUDE_DIR
  VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "install libtorch-dev, or give -DHAPLOSPIN_TORCH_ROOT=<site-packages/torch>, or build without it: -DHAPLOSPIN_TORCH=OFF")

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  file(STRINGS "${LibTorch_c10_LIBRARY}" _cxx11_symbols REGEX "__cxx11" LIMIT_COUNT 1)
  if(NOT _cxx11_symbols)
    message(FATAL_ERROR "${LibTorch_c10_LIBRARY} was built without the C++11 ABI of std::string and cannot be linked "
                        "here; use a cxx11-abi archive of LibTorch or a wheel of version 2.7 or later")
  endif()
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  target_include_directories(LibTorch::LibTorch SYSTEM INTERFACE
    ${LibTorch_INCLUDE_DIR} ${LibTorch_INCLUDE_DIR}/torch/csrc/api/include)
  # A wheel ships its own fmt headers, which its users see first; header-only, they need no library of that version.
  target_compile_definitions(LibTorch::LibTorch INTERFACE FMT_HEADER_ONLY)
  # Nothing calls libtorch by name, but it loads libtorch_cuda where there is one, so it must stay linked. The flags are
  # one item, as CMake keeps only one of several equal items.
  set(_libraries "-Wl,--push-state,--no-as-needed,${LibTorch_torch_LIBRARY},--pop-state" ${LibTorch_torch_cpu_LIBRARY}
    ${LibTorch_c10_LIBRARY})
  if(HAPLOSPIN_TORCH_ROOT)
    # A wheel's libtorch.so exports functions of std::filesystem that crash; those of libstdc++ must be found before them.
    list(PREPEND _libraries -Wl,--push-state,--no-as-needed,-lstdc++,--pop-state)
  endif()
  # The driver and the wheel's CUDA libraries need not be on the build machine.
  target_link_libraries(LibTorch::LibTorch INTERFACE ${_libraries} -Wl,--allow-shlib-undefined)
endif()
