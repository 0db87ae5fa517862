# SPDX-License-Identifier: BSD-3-Clause
# The manual pages of OpenSHMEM's calls, of the comments in the public headers.
set(man_folder ${PROJECT_BINARY_DIR}/man/man3)
file(GLOB man_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/shmem*.h ${PROJECT_SOURCE_DIR}/include/shmem/*.h)
add_custom_command(OUTPUT ${man_folder}/shmem.3
  COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER}
    ${PROJECT_SOURCE_DIR}/scripts/man-pages ${PROJECT_SOURCE_DIR}/include ${man_folder}
  DEPENDS ${man_sources} ${PROJECT_SOURCE_DIR}/scripts/man-pages ${PROJECT_SOURCE_DIR}/scripts/man-pages.awk
  COMMENT "Making manual pages" VERBATIM)
add_custom_target(man-pages ALL DEPENDS ${man_folder}/shmem.3)
install(DIRECTORY ${man_folder} DESTINATION ${CMAKE_INSTALL_MANDIR})
