# `cpack -G DEB` in the build folder makes a Debian package of what `cmake --install` installs. Its dependencies are determined from the binaries.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME haplospin)
set(CPACK_PACKAGE_CONTACT "The haplospin authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The folder of the libraries of this package.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
include(CPack)
