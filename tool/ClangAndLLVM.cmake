# streamap_llvm: Clang's and LLVM's headers, and their code.
#
# From the static archives only what the tool calls comes into it, at fixed addresses. A start then costs a fifth of one with the shared
# libraries, whose 20,000 relocations and code of all targets every small file would pay for. Where the archives, or what they need, are not
# installed, the shared libraries do the same more slowly.
include(CheckLinkerFlag)

add_library(streamap_llvm INTERFACE)
target_compile_definitions(streamap_llvm INTERFACE ${llvm_definitions})
target_include_directories(streamap_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})

# In the order of dependence, users first.
set(clang_parts CodeGen FrontendTool Frontend ExtractAPI Tooling ToolingCore ToolingInclusions Index Rewrite RewriteFrontend Driver Parse Sema
  Serialization APINotes Edit Analysis ASTMatchers AST Support Lex Basic)
set(clang_archives "")
foreach(part ${clang_parts})
  list(APPEND clang_archives ${LLVM_LIBRARY_DIR}/libclang${part}.a)
endforeach()

# NVPTX: kernels are compiled by the tool itself where there is no nvcc. Fails where an archive is not there; Polly's have a package of their own.
execute_process(
  COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-config --link-static --libfiles NVPTX X86Info Passes LTO Coroutines HipStdPar FrontendOpenMP
    FrontendOffloading FrontendDriver FrontendHLSL WindowsDriver Coverage Option CodeGen IRReader Linker TargetParser Support
  OUTPUT_VARIABLE llvm_archives ERROR_VARIABLE missing OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE status)
separate_arguments(llvm_archives NATIVE_COMMAND "${llvm_archives}")
if(status)
  set(missing "what llvm-config wants (Debian: llvm-19-dev, libpolly-19-dev): ${missing}")
endif()

find_package(ZLIB)
find_library(STREAMAP_ZSTD NAMES zstd)
mark_as_advanced(STREAMAP_ZSTD)
foreach(archive ${clang_archives})
  if(NOT EXISTS ${archive})
    list(APPEND missing ${archive})
  endif()
endforeach()
if(NOT ZLIB_FOUND)
  list(APPEND missing "zlib (Debian: zlib1g-dev)")
endif()
if(NOT STREAMAP_ZSTD)
  list(APPEND missing "libzstd (Debian: libzstd-dev)")
endif()

set(static_default ON)
if(missing)
  set(static_default OFF)
endif()
option(STREAMAP_STATIC_LLVM "Link streamap-cc with LLVM's and Clang's static archives" ${static_default})
if(NOT STREAMAP_STATIC_LLVM)
  if(missing)
    list(GET missing 0 first)
    message(STATUS "streamap-cc is linked with LLVM's shared libraries and starts slowly: there is no ${first}")
  endif()
  target_link_libraries(streamap_llvm INTERFACE clang-cpp LLVM)
  return()
endif()

check_linker_flag(CXX -fuse-ld=lld STREAMAP_LINKS_WITH_LLD) # in a fifth of the time that GNU ld takes
if(STREAMAP_LINKS_WITH_LLD)
  target_link_options(streamap_llvm INTERFACE -fuse-ld=lld)
endif()
target_link_options(streamap_llvm INTERFACE -no-pie -Wl,--gc-sections)
target_link_libraries(streamap_llvm INTERFACE -Wl,--start-group ${clang_archives} ${llvm_archives} -Wl,--end-group
  ZLIB::ZLIB ${STREAMAP_ZSTD} ${CMAKE_DL_LIBS} m pthread)
