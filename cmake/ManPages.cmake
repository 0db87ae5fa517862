# SPDX-License-Identifier: BSD-3-Clause
# The manual pages of OpenSHMEM's calls, of the native ones and of ARMCI's, of the comments in the public headers.
set(man_folder ${PROJECT_BINARY_DIR}/man)
file(GLOB man_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h
  ${PROJECT_SOURCE_DIR}/include/shmem/*.h ${PROJECT_SOURCE_DIR}/include/syncline/*.h)
file(GLOB pages_program CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scripts/pages/*.py ${PROJECT_SOURCE_DIR}/scripts/pages/completion.*)
set(make_pages ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/scripts/pages)
add_custom_command(OUTPUT ${man_folder}/man3/shmem.3
  COMMAND ${make_pages} calls ${CMAKE_C_COMPILER} ${PROJECT_SOURCE_DIR}/include ${man_folder}/man3
  DEPENDS ${man_sources} ${pages_program}
  COMMENT "Making manual pages of calls" VERBATIM)
add_custom_target(man-pages ALL DEPENDS ${man_folder}/man3/shmem.3)
install(DIRECTORY ${man_folder}/man3 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT dev)

# Those of the commands, of what they say with --help. So the commands run in the build: in a cross build by the emulator
# that CMake has for its programs, or those of another build, for this machine. Without both, a cross build has neither
# these pages nor shell completion. Sanitizers may keep a command from running in a build.
set(SYNCLINE_NATIVE_TOOLS "" CACHE PATH
  "For a cross build: where syncline, synclined and oshrun of a build for this machine are")
set(tools_folder ${PROJECT_BINARY_DIR}/tools)
set(commands_run ON)
if(SYNCLINE_SANITIZE)
  set(commands_run OFF)
elseif(SYNCLINE_NATIVE_TOOLS)
  set(tools_folder ${SYNCLINE_NATIVE_TOOLS})
elseif(CMAKE_CROSSCOMPILING AND CMAKE_CROSSCOMPILING_EMULATOR)
  set(tools_folder ${PROJECT_BINARY_DIR}/tools/emulated)
  list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
  foreach(command syncline synclined)
    file(GENERATE OUTPUT ${tools_folder}/${command} CONTENT "#!/bin/sh\nexec ${emulator} ${PROJECT_BINARY_DIR}/tools/${command} \"$@\"\n"
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endforeach()
  file(COPY ${PROJECT_BINARY_DIR}/tools/oshrun DESTINATION ${tools_folder})
elseif(CMAKE_CROSSCOMPILING)
  set(commands_run OFF)
  message(STATUS "No manual pages of commands and no completion: nothing here runs the commands "
    "(CMAKE_CROSSCOMPILING_EMULATOR, SYNCLINE_NATIVE_TOOLS)")
endif()
if(commands_run)
  set(man_notes_folders ${PROJECT_SOURCE_DIR}/docs/man)
  if(SYNCLINE_SIMULATOR)
    list(APPEND man_notes_folders ${PROJECT_SOURCE_DIR}/sim/man)
  endif()
  if(SYNCLINE_BENCH)
    list(APPEND man_notes_folders ${PROJECT_SOURCE_DIR}/bench/man)
  endif()
  list(TRANSFORM man_notes_folders APPEND /* OUTPUT_VARIABLE man_notes_patterns)
  file(GLOB man_notes CONFIGURE_DEPENDS ${man_notes_patterns})
  add_custom_command(OUTPUT ${man_folder}/man1/syncline.1
    COMMAND ${make_pages} commands ${tools_folder} ${man_folder} ${man_notes_folders}
    DEPENDS syncline-command synclined ${PROJECT_BINARY_DIR}/tools/oshrun ${man_notes} ${pages_program}
    COMMENT "Making manual pages of commands" VERBATIM)
  add_custom_target(command-pages ALL DEPENDS ${man_folder}/man1/syncline.1)
  install(DIRECTORY ${man_folder}/man1 ${man_folder}/man8 DESTINATION ${CMAKE_INSTALL_MANDIR} PATTERN "osh*" EXCLUDE)
  install(DIRECTORY ${man_folder}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT local FILES_MATCHING PATTERN "osh*")

  # Shell completion is of the same source.
  set(completions ${PROJECT_BINARY_DIR}/completions)
  add_custom_command(OUTPUT ${completions}/bash ${completions}/zsh ${completions}/zsh-packages
    COMMAND ${make_pages} completions ${tools_folder} ${completions}
    DEPENDS syncline-command synclined ${PROJECT_BINARY_DIR}/tools/oshrun ${pages_program}
    COMMENT "Making shell completion" VERBATIM)
  add_custom_target(completions ALL DEPENDS ${completions}/bash)
  # bash looks for a command by its name, zsh reads at the top which ones a file is for. Packages have oshrun.syncline, because
  # another OpenSHMEM may have oshrun.
  foreach(command syncline synclined)
    install(FILES ${completions}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${command})
  endforeach()
  install(FILES ${completions}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME oshrun
    COMPONENT local)
  install(FILES ${completions}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME oshrun.syncline
    EXCLUDE_FROM_ALL)
  # zsh has one folder for administrators, and Debian's has another one for packages.
  install(FILES ${completions}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _syncline COMPONENT local)
  install(FILES ${completions}/zsh-packages DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _syncline
    EXCLUDE_FROM_ALL)
endif()
