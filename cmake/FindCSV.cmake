# Finds libcsv (https://github.com/rgamble/libcsv), which comes without a file for pkg-config, and defines CSV::CSV.
find_path(CSV_INCLUDE_DIR csv.h)
find_library(CSV_LIBRARY csv)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CSV REQUIRED_VARS CSV_LIBRARY CSV_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libcsv-dev")
if(CSV_FOUND AND NOT TARGET CSV::CSV)
  add_library(CSV::CSV UNKNOWN IMPORTED)
  set_target_properties(CSV::CSV PROPERTIES IMPORTED_LOCATION ${CSV_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES
    ${CSV_INCLUDE_DIR})
endif()
