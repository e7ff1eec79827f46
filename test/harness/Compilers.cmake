# The options by which the test scripts learn the compilers. A sanitized runtime needs sanitized programs.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
if(STREAMAP_SANITIZE)
  set(streamap_test_sanitize " -fsanitize=${STREAMAP_SANITIZE}")
endif()
set(STREAMAP_TEST_COMPILERS --cc ${CMAKE_C_COMPILER} --streamap-cc "$<TARGET_FILE:streamap-cc>${streamap_test_sanitize}")
set(STREAMAP_TEST_CXX_COMPILERS --cxx ${STREAMAP_HOST_CXX} --streamap-cxx "$<TARGET_FILE_DIR:streamap-cc>/streamap-c++${streamap_test_sanitize}")
