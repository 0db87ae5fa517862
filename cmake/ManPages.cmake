# SPDX-License-Identifier: BSD-3-Clause
# The manual pages of OpenSHMEM's calls, of the native ones and of ARMCI's, of the comments in the public headers.
set(man_folder ${PROJECT_BINARY_DIR}/man)
file(GLOB man_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h
  ${PROJECT_SOURCE_DIR}/include/shmem/*.h ${PROJECT_SOURCE_DIR}/include/syncline/*.h)
add_custom_command(OUTPUT ${man_folder}/man3/shmem.3
  COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER}
    ${PROJECT_SOURCE_DIR}/scripts/man-pages ${PROJECT_SOURCE_DIR}/include ${man_folder}/man3
  COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER}
    ${PROJECT_SOURCE_DIR}/scripts/native-pages ${PROJECT_SOURCE_DIR}/include ${man_folder}/man3 syncline.h
  COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER}
    ${PROJECT_SOURCE_DIR}/scripts/native-pages ${PROJECT_SOURCE_DIR}/include ${man_folder}/man3 syncline/dsm.h
  COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER}
    ${PROJECT_SOURCE_DIR}/scripts/native-pages ${PROJECT_SOURCE_DIR}/include ${man_folder}/man3 armci.h
  COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER}
    ${PROJECT_SOURCE_DIR}/scripts/native-pages ${PROJECT_SOURCE_DIR}/include ${man_folder}/man3 message.h
  DEPENDS ${man_sources} ${PROJECT_SOURCE_DIR}/scripts/man-pages ${PROJECT_SOURCE_DIR}/scripts/man-pages.awk
    ${PROJECT_SOURCE_DIR}/scripts/native-pages ${PROJECT_SOURCE_DIR}/scripts/native-pages.awk
  COMMENT "Making manual pages of calls" VERBATIM)
add_custom_target(man-pages ALL DEPENDS ${man_folder}/man3/shmem.3)
install(DIRECTORY ${man_folder}/man3 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT dev)

# Those of the commands, of what they say with --help. Sanitizers may keep a command from running in a build.
if(NOT SYNCLINE_SANITIZE)
  set(man_notes_folders ${PROJECT_SOURCE_DIR}/docs/man)
  if(SYNCLINE_SIMULATOR)
    list(APPEND man_notes_folders ${PROJECT_SOURCE_DIR}/sim/man)
  endif()
  if(SYNCLINE_BENCH)
    list(APPEND man_notes_folders ${PROJECT_SOURCE_DIR}/bench/man)
  endif()
  list(TRANSFORM man_notes_folders APPEND /* OUTPUT_VARIABLE man_notes_patterns)
  file(GLOB man_notes CONFIGURE_DEPENDS ${man_notes_patterns})
  set(tools_folder ${PROJECT_BINARY_DIR}/tools)
  add_custom_command(OUTPUT ${man_folder}/man1/syncline.1
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/command-pages ${tools_folder} ${man_folder} ${man_notes_folders}
    DEPENDS syncline-command synclined ${tools_folder}/oshrun ${man_notes}
      ${PROJECT_SOURCE_DIR}/scripts/command-pages ${PROJECT_SOURCE_DIR}/scripts/command-pages.awk
    COMMENT "Making manual pages of commands" VERBATIM)
  add_custom_target(command-pages ALL DEPENDS ${man_folder}/man1/syncline.1)
  install(DIRECTORY ${man_folder}/man1 ${man_folder}/man8 DESTINATION ${CMAKE_INSTALL_MANDIR} PATTERN "osh*" EXCLUDE)
  install(DIRECTORY ${man_folder}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT local FILES_MATCHING PATTERN "osh*")

  # Shell completion is of the same source.
  set(completions ${PROJECT_BINARY_DIR}/completions)
  add_custom_command(OUTPUT ${completions}/bash ${completions}/zsh
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/completions ${tools_folder} ${completions}
    DEPENDS syncline-command synclined ${PROJECT_SOURCE_DIR}/scripts/completions
      ${PROJECT_SOURCE_DIR}/scripts/completion.bash ${PROJECT_SOURCE_DIR}/scripts/completion.zsh
    COMMENT "Making shell completion" VERBATIM)
  add_custom_target(completions ALL DEPENDS ${completions}/bash)
  # bash looks for a command by its name, zsh reads at the top which ones a file is for.
  foreach(command syncline synclined)
    install(FILES ${completions}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${command})
  endforeach()
  # zsh has one folder for administrators, and Debian's has another one for packages.
  install(FILES ${completions}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _syncline COMPONENT local)
  install(FILES ${completions}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _syncline
    EXCLUDE_FROM_ALL)
endif()
