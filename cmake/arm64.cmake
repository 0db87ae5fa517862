# SPDX-License-Identifier: BSD-3-Clause
# Builds for arm64 on a Debian of another architecture, which has Debian's cross compiler and the libraries of arm64 beside its
# own, and qemu-user to run programs: cmake -DCMAKE_TOOLCHAIN_FILE=cmake/arm64.cmake.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
find_program(SYNCLINE_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(SYNCLINE_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${SYNCLINE_QEMU})
endif()
