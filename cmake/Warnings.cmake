# Warnings are errors in our own code; targets opt in by linking streamap_warnings.
add_library(streamap_warnings INTERFACE)
target_compile_options(streamap_warnings INTERFACE -Wall -Wextra -Werror -Wno-missing-field-initializers
  # gcc's plain -Wshadow also objects to a constructor's parameter that is called like the member it sets.
  $<IF:$<CXX_COMPILER_ID:GNU>,-Wshadow=local,-Wshadow>)
