# SPDX-License-Identifier: BSD-3-Clause
add_library(syncline_warnings INTERFACE)
target_compile_options(syncline_warnings INTERFACE
  -Wall -Wextra -Wshadow
  $<$<BOOL:${SYNCLINE_WERROR}>:-Werror>)
# src/base/check.h
add_compile_definitions($<$<CONFIG:Debug>:SYNCLINE_CHECKS>)
if(SYNCLINE_SANITIZE)
  add_compile_definitions(SYNCLINE_CHECKS)
  add_compile_options(-fsanitize=${SYNCLINE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${SYNCLINE_SANITIZE})
endif()
target_compile_options(syncline_warnings INTERFACE
  # Option structs of libbpf are written with the members that matter.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-missing-designated-field-initializers>)
