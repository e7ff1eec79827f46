# Sanitizers for the runtime, its tests, and the programs that the tests build. The tool is not instrumented: it is linked to
# LLVM's own shared libraries.
add_library(streamap_sanitize INTERFACE)
if(STREAMAP_SANITIZE)
  target_compile_options(streamap_sanitize INTERFACE -fsanitize=${STREAMAP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(streamap_sanitize INTERFACE -fsanitize=${STREAMAP_SANITIZE})
endif()
