# SPDX-License-Identifier: BSD-3-Clause
# syncline_bpf_skeleton(<target> <file.bpf.c>)
#
# Compiles the file for BPF and makes <target> an INTERFACE library whose include folder holds <file>.skel.h.
# -mcpu=v3 (Linux 5.12) is the newest instruction set that Linux 6.1 has.
find_program(SYNCLINE_BPF_CLANG NAMES clang-19 clang REQUIRED)
# The machine whose order of accesses the programs rely on, by libbpf's name. A program for arm64 runs on x86, too.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64|i.86)$")
  set(SYNCLINE_BPF_ARCH x86 CACHE STRING "Machine of the BPF programs: x86 or arm64")
else()
  set(SYNCLINE_BPF_ARCH arm64 CACHE STRING "Machine of the BPF programs: x86 or arm64")
endif()
find_program(SYNCLINE_BPFTOOL NAMES bpftool PATHS /usr/sbin /sbin REQUIRED)
set(SYNCLINE_BPF_WERROR "")
if(SYNCLINE_WERROR)
  set(SYNCLINE_BPF_WERROR -Werror)
endif()

function(syncline_bpf_skeleton target source)
  get_filename_component(stem ${source} NAME)
  string(REPLACE ".bpf.c" "" stem ${stem})
  get_filename_component(path ${source} ABSOLUTE)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${stem}.bpf.o)
  set(skeleton_dir ${CMAKE_CURRENT_BINARY_DIR}/skeleton-${stem})
  set(skeleton ${skeleton_dir}/${stem}.skel.h)
  file(MAKE_DIRECTORY ${skeleton_dir})
  set(libbpf_headers ${LIBBPF_INCLUDE_DIRS}) # none where the compiler finds them by itself
  list(TRANSFORM libbpf_headers PREPEND -I)
  add_custom_command(OUTPUT ${object}
    COMMAND ${SYNCLINE_LAUNCHER} ${SYNCLINE_BPF_CLANG} -std=gnu17 -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_${SYNCLINE_BPF_ARCH}
      -Wall -Wextra ${SYNCLINE_BPF_WERROR} -Wno-compare-distinct-pointer-types
      -ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -I${CMAKE_SOURCE_DIR}/src -I${CMAKE_SOURCE_DIR}/include ${libbpf_headers} -isystem /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}
      -MD -MF ${object}.d -c ${path} -o ${object}
    DEPENDS ${path} DEPFILE ${object}.d VERBATIM)
  add_custom_command(OUTPUT ${skeleton}
    COMMAND sh -c "exec \"$1\" gen skeleton \"$2\" name \"$3\" > \"$4\"" sh
      ${SYNCLINE_BPFTOOL} ${object} ${stem}_bpf ${skeleton}
    DEPENDS ${object} VERBATIM)
  add_custom_target(${target}_generate DEPENDS ${skeleton})
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_generate)
  target_include_directories(${target} SYSTEM INTERFACE ${skeleton_dir})
  target_link_libraries(${target} INTERFACE PkgConfig::LIBBPF)
endfunction()
