# The options by which the test scripts learn the compilers. A sanitized runtime needs sanitized programs.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
list(JOIN STREAMAP_SANITIZE_FLAGS " " streamap_test_sanitize)
string(STRIP "$<TARGET_FILE:streamap-cc> ${streamap_test_sanitize}" streamap_test_compiler)
string(STRIP "$<TARGET_FILE_DIR:streamap-cc>/streamap-c++ ${streamap_test_sanitize}" streamap_test_cxx_compiler)
set(STREAMAP_TEST_COMPILERS --cc ${CMAKE_C_COMPILER} --streamap-cc ${streamap_test_compiler})
set(STREAMAP_TEST_CXX_COMPILERS --cxx ${STREAMAP_HOST_CXX} --streamap-cxx ${streamap_test_cxx_compiler})
