# Warnings are errors in our own code; targets opt in by linking streamap_warnings.
add_library(streamap_warnings INTERFACE)
target_compile_options(streamap_warnings INTERFACE -Wall -Wextra -Werror -Wshadow -Wno-missing-field-initializers)
