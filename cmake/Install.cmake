# SPDX-License-Identifier: BSD-3-Clause
# The places of all that `cmake --install` puts. The package files are written by hand rather than with install(EXPORT): the
# library hides what it links, and an export would ask its users for fmt and libbpf all the same. Both find the
# prefix from where they are themselves, so that an installed tree can be moved. COMPONENT says which package has a file,
# if it is not `syncline` (cmake/Packages.cmake).
include(CMakePackageConfigHelpers)

set(SYNCLINE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/syncline)
set(SYNCLINE_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH SYNCLINE_PREFIX_FROM_PKGCONFIG
  ${CMAKE_INSTALL_PREFIX}/${SYNCLINE_PKGCONFIG_DIR} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" SYNCLINE_PREFIX_FROM_PKGCONFIG ${SYNCLINE_PREFIX_FROM_PKGCONFIG})
file(RELATIVE_PATH SYNCLINE_LIBDIR_FROM_BINDIR
  ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.m4" PATTERN armci.h EXCLUDE PATTERN message.h EXCLUDE
  PATTERN parmci.h EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The pages and examples that commands' help names, in folders as here, so that the pages find each other.
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.md" PATTERN man EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev
  FILES_MATCHING PATTERN "*.c" PATTERN "*.cpp" PATTERN "*.h" PATTERN README.md)

# The files of pkg-config. An installation by hand may be where the loader does not look, so its programs get a run path;
# those of the packages need none.
set(run_path_local " -Wl,-rpath,\${libdir}")
set(run_path_dev "")
function(syncline_pkgconfig name)
  foreach(component local dev)
    set(SYNCLINE_RUN_PATH "${run_path_${component}}")
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/package/${component}/${name}.pc @ONLY)
  endforeach()
  install(FILES ${PROJECT_BINARY_DIR}/package/local/${name}.pc DESTINATION ${SYNCLINE_PKGCONFIG_DIR} COMPONENT local)
  install(FILES ${PROJECT_BINARY_DIR}/package/dev/${name}.pc DESTINATION ${SYNCLINE_PKGCONFIG_DIR} COMPONENT dev EXCLUDE_FROM_ALL)
endfunction()

if(TARGET syncline)
  install(TARGETS syncline LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT dev)

  syncline_pkgconfig(syncline)

  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/syncline-config.cmake.in
    ${PROJECT_BINARY_DIR}/package/syncline-config.cmake
    INSTALL_DESTINATION ${SYNCLINE_CMAKE_DIR} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
  # Below 1.0 a minor version may break programs.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/syncline-config-version.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES
    ${PROJECT_BINARY_DIR}/package/syncline-config.cmake
    ${PROJECT_BINARY_DIR}/package/syncline-config-version.cmake
    DESTINATION ${SYNCLINE_CMAKE_DIR} COMPONENT dev)
endif()

# ARMCI is a library of its own, which finds the other one beside itself, so its users name it alone. Global Arrays asks for
# <prefix>/include/armci.h and <prefix>/lib/libarmci.so. In packages the prefix for that is a folder of its own (cmake/Packages.cmake).
if(TARGET armci)
  set_target_properties(armci PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS armci LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT local)
  set(armci_headers ${PROJECT_SOURCE_DIR}/include/armci.h ${PROJECT_SOURCE_DIR}/include/message.h
    ${PROJECT_SOURCE_DIR}/include/parmci.h)
  install(FILES ${armci_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT local)

  function(syncline_armci_pkgconfig folder SYNCLINE_ARMCI_INCLUDEDIR SYNCLINE_ARMCI_LIBDIR)
    set(SYNCLINE_RUN_PATH "${run_path_${folder}}")
    configure_file(${PROJECT_SOURCE_DIR}/cmake/armci.pc.in ${PROJECT_BINARY_DIR}/package/${folder}/armci.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/package/${folder}/armci.pc DESTINATION ${SYNCLINE_PKGCONFIG_DIR} ${ARGN})
  endfunction()
  syncline_armci_pkgconfig(local ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_LIBDIR} COMPONENT local)
endif()

# PARMACS, TreadMarks and system calls on shared memory. The macros for m4 are beside the header that they include.
if(TARGET syncline_dsm)
  set_target_properties(syncline_dsm PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS syncline_dsm LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT dev)
  syncline_pkgconfig(syncline-dsm)
endif()

# The command is built as syncline-command: the library has the name that it is installed by.
foreach(program syncline-command synclined)
  if(TARGET ${program})
    set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/${SYNCLINE_LIBDIR_FROM_BINDIR}")
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()

# The service, for systemd: where the program is, is known at installation only. `make install` puts nothing outside the prefix,
# so the configuration is an example. The package has both in its own way (cmake/Packages.cmake).
set(unit ${PROJECT_BINARY_DIR}/package/local/synclined.service)
install(CODE "file(READ ${PROJECT_SOURCE_DIR}/packaging/synclined.service unit)
string(REPLACE /usr/bin/ \${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/ unit \"\${unit}\")
file(WRITE ${unit} \"\${unit}\")" COMPONENT local)
install(FILES ${unit} DESTINATION lib/systemd/system COMPONENT local)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/synclined.toml DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT local)
