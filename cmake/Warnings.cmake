# Warnings are errors in our own code; targets opt in by linking streamap_warnings.
add_library(streamap_warnings INTERFACE)
target_compile_options(streamap_warnings INTERFACE -Wall -Wextra -Werror -Wno-missing-field-initializers
  # g++'s plain -Wshadow also objects to a constructor's parameter that is called like the member it sets.
  $<IF:$<CXX_COMPILER_ID:GNU>,-Wshadow=local,-Wshadow>
  # g++ 12 sees impossible sizes in libstdc++'s inlined std::string (gcc bugs 105329, 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>
  # libstdc++ 12's own std::stable_sort uses what C++20 deprecates; Clang says so at each use, g++ knows better.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>)
