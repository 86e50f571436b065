# What `cmake --install` and the packages contain.
include(CMakePackageConfigHelpers)

# Says which optional part is not installed, where only a part of the build was made.
function(haplospin_report_missing file what)
  install(CODE "if(NOT EXISTS \"${file}\")
    message(WARNING \"Not built, so not installed: ${what}\")
  endif()")
endfunction()

install(TARGETS haplospin_executable)
install(TARGETS haplospin_selfcheck_executable OPTIONAL)
haplospin_report_missing($<TARGET_FILE:haplospin_selfcheck_executable> "haplospin-selfcheck, which `haplospin selfcheck` starts")
install(TARGETS haplospin EXPORT haplospin)
if(HAPLOSPIN_TORCH)
  install(TARGETS haplospin_torch OPTIONAL)
  haplospin_report_missing($<TARGET_FILE:haplospin_torch> "libhaplospin_torch, the commands that need LibTorch")
endif()

# The public headers, all that C++ programs can rely on, and find_package(haplospin).
install(FILES
  include/haplospin/errors.h
  include/haplospin/genetic_map.h
  include/haplospin/haplotype_panel.h
  include/haplospin/impute.h
  include/haplospin/marker.h
  include/haplospin/study_genotypes.h
  ${PROJECT_BINARY_DIR}/include/haplospin/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/haplospin)
set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/haplospin)
install(EXPORT haplospin NAMESPACE haplospin:: DESTINATION ${_package} FILE haplospinTargets.cmake)
configure_package_config_file(cmake/haplospinConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/haplospinConfig.cmake
  INSTALL_DESTINATION ${_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/haplospinConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/haplospinConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/haplospinConfigVersion.cmake DESTINATION ${_package})

# Weights. They are at the same relative path in the build tree.
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/haplospin)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/haplospin)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/models ${PROJECT_BINARY_DIR}/share/haplospin/models SYMBOLIC)

# The manual page is generated from the output of --help, so the program must run on the build machine.
if(NOT CMAKE_CROSSCOMPILING)
  set(_page ${PROJECT_BINARY_DIR}/share/man/man1/haplospin.1)
  set(_program haplospin_executable haplospin_selfcheck_executable)
  if(HAPLOSPIN_TORCH)
    list(APPEND _program haplospin_torch)
  endif()
  add_custom_command(OUTPUT ${_page}
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:haplospin_executable> -DTORCH=${HAPLOSPIN_TORCH} -DPAGE=${_page}
      -P ${PROJECT_SOURCE_DIR}/cmake/ManualPage.cmake
    DEPENDS ${_program} ${PROJECT_SOURCE_DIR}/cmake/ManualPage.cmake
    COMMENT "Writing the manual page" VERBATIM)
  add_custom_target(haplospin_manual ALL DEPENDS ${_page})
  install(FILES ${_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
  haplospin_report_missing(${_page} "the manual page (target haplospin_manual)")
endif()

# The folders in which the shells search, below the same prefix. Debian's zsh searches site-functions below /usr/local,
# and vendor-completions below /usr.
install(FILES completions/haplospin.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME haplospin)
install(FILES completions/_haplospin DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/_haplospin DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
