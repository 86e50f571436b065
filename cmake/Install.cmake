install(TARGETS haplospin_executable haplospin)
if(HAPLOSPIN_TORCH)
  install(TARGETS haplospin_torch)
endif()
install(DIRECTORY include/haplospin DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/include/haplospin/core/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/haplospin/core)
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/haplospin)

# The build tree holds the models at the same place.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/haplospin)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/models ${PROJECT_BINARY_DIR}/share/haplospin/models SYMBOLIC)
