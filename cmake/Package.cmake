# The installed package: find_package(StreamMAP) gives StreamMAP::streamap and the paths of the compilers. Nothing in it knows the prefix, so
# an installed tree may be moved.
include(CMakePackageConfigHelpers)

set(packageDirectory ${CMAKE_INSTALL_LIBDIR}/cmake/StreamMAP)

# One program; its name says which language it stands in for. It finds headers and library beside itself.
if(TARGET streamap-cc)
  install(TARGETS streamap-cc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  foreach(name ${STREAMAP_TOOL_NAMES})
    install(CODE "file(CREATE_LINK streamap-cc \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${name}\" SYMBOLIC)")
  endforeach()
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

# cpack -G DEB, for Debian 12. The libraries that the two binaries were linked with are found by dpkg-shlibdeps; the rest is what they call.
set(CPACK_PACKAGE_NAME streamap)
set(CPACK_PACKAGE_VENDOR StreamMAP)
set(CPACK_PACKAGE_CONTACT "StreamMAP developers <streamap@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_GENERATOR TGZ)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libclang-common-19-dev, gcc | clang, libc6-dev, openmpi-bin")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libopenmpi-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "nvidia-cuda-toolkit")
include(CPack)
