# The installed package: find_package(StreamMAP) gives StreamMAP::streamap and the paths of the compilers. Nothing in it knows the prefix, so
# an installed tree may be moved.
include(CMakePackageConfigHelpers)

set(packageDirectory ${CMAKE_INSTALL_LIBDIR}/cmake/StreamMAP)

# One program; its name says which language it stands in for. It finds headers and library beside itself.
if(TARGET streamap-cc)
  install(TARGETS streamap-cc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(CODE "file(CREATE_LINK streamap-cc \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/streamap-c++\" SYMBOLIC)")
endif()

set_target_properties(streamap_headers PROPERTIES EXPORT_NAME headers)
install(EXPORT StreamMAPTargets NAMESPACE StreamMAP:: DESTINATION ${packageDirectory})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/StreamMAPConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/StreamMAPConfig.cmake
  INSTALL_DESTINATION ${packageDirectory}
  PATH_VARS CMAKE_INSTALL_BINDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# 0.x: a minor version may change what a program means or how it links.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/StreamMAPConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/StreamMAPConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/StreamMAPConfigVersion.cmake
  DESTINATION ${packageDirectory})

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs PATTERN internals EXCLUDE)
