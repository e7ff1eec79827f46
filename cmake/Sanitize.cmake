# Sanitizers for the runtime, its tests, and the programs that the tests build. The tool is not instrumented: it is linked to
# LLVM's own shared libraries.
add_library(streamap_sanitize INTERFACE)
set(STREAMAP_TEST_PATIENCE 1) # by which all time limits of tests are multiplied
if(STREAMAP_SANITIZE)
  set(STREAMAP_TEST_PATIENCE 5)
  set(STREAMAP_SANITIZE_FLAGS -fsanitize=${STREAMAP_SANITIZE})
  if(STREAMAP_SANITIZE MATCHES undefined)
    # vptr: its part of the sanitizer's run-time library comes only into programs that a C++ compiler links; most of ours are C.
    # vla-bound: programs of the tests have parameters x[n] with n = 0, for a range may be empty.
    list(APPEND STREAMAP_SANITIZE_FLAGS -fno-sanitize=vptr,vla-bound)
  endif()
  target_compile_options(streamap_sanitize INTERFACE ${STREAMAP_SANITIZE_FLAGS} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(streamap_sanitize INTERFACE -fsanitize=${STREAMAP_SANITIZE})
endif()
