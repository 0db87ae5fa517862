# SPDX-License-Identifier: BSD-3-Clause
# The Debian packages, of the components that `install` names, made by `cpack` (`make package`). The component `local`
# is in none: what it has gets other names or places in packages.
#
#   syncline          the libraries, the commands and synclined, which `syncline run` starts by itself, and their pages
#   syncline-daemon   synclined as a service of the machine: unit, configuration
#   libsyncline-dev   headers, what pkg-config and find_package read, oshcc, and the pages of the calls
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME syncline)
set(CPACK_PACKAGE_VENDOR "The Syncline authors")
set(CPACK_PACKAGE_CONTACT "The Syncline authors")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "remote memory operations that the network card executes")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_COMPONENTS_ALL syncline daemon dev)
set(same_version "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

function(syncline_copyright package component)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

# OpenSHMEM's commands. Debian's openmpi-bin has the same names, so those of packages end with .syncline; a folder to put
# into PATH has the plain ones, and packaging/commands/postinst.in links them where they are free.
function(syncline_commands component)
  string(TOUPPER ${component} upper)
  string(REPLACE ";" " " names "${ARGN}")
  foreach(name IN LISTS ARGN)
    string(REGEX REPLACE "c\\+\\+$" "cc" page ${name})
    install(PROGRAMS ${PROJECT_BINARY_DIR}/tools/installed/${name} DESTINATION ${CMAKE_INSTALL_BINDIR}
      RENAME ${name}.syncline COMPONENT ${component} EXCLUDE_FROM_ALL)
    if(TARGET command-pages)
      install(FILES ${PROJECT_BINARY_DIR}/man/man1/${page}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
        RENAME ${name}.syncline.1 COMPONENT ${component} EXCLUDE_FROM_ALL)
    endif()
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/package/${component})
    file(CREATE_LINK ../../../bin/${name}.syncline ${PROJECT_BINARY_DIR}/package/${component}/${name} SYMBOLIC)
    install(FILES ${PROJECT_BINARY_DIR}/package/${component}/${name}
      DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/syncline/bin COMPONENT ${component} EXCLUDE_FROM_ALL)
  endforeach()
  foreach(script postinst prerm)
    configure_file(${PROJECT_SOURCE_DIR}/packaging/commands/${script}.in
      ${PROJECT_BINARY_DIR}/package/${component}/${script} @ONLY)
    list(APPEND scripts ${PROJECT_BINARY_DIR}/package/${component}/${script})
  endforeach()
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${scripts} PARENT_SCOPE)
endfunction()

# ARMCI's headers and link. Debian's libarmci-mpi-dev has /usr/include/armci.h, /usr/include/message.h and -larmci, and
# message.h is a name for anything. A conflict would keep a machine from having both libraries, and from comparing them. So
# this folder is a prefix of its own: pkg-config and find_package name it, and so does `configure --with-armci=` of Global Arrays.
set(armci_prefix ${CMAKE_INSTALL_LIBDIR}/syncline/armci)
install(FILES ${armci_headers} DESTINATION ${armci_prefix}/include COMPONENT dev EXCLUDE_FROM_ALL)
file(CREATE_LINK ../../../libarmci.so.${SYNCLINE_SOVERSION} ${PROJECT_BINARY_DIR}/package/libarmci.so SYMBOLIC)
install(FILES ${PROJECT_BINARY_DIR}/package/libarmci.so DESTINATION ${armci_prefix}/lib COMPONENT dev EXCLUDE_FROM_ALL)
syncline_armci_pkgconfig(dev ${armci_prefix}/include ${armci_prefix}/lib COMPONENT dev EXCLUDE_FROM_ALL)

set(CPACK_DEBIAN_SYNCLINE_PACKAGE_NAME syncline)
set(CPACK_DEBIAN_SYNCLINE_PACKAGE_SECTION net)
set(CPACK_DEBIAN_SYNCLINE_PACKAGE_SHLIBDEPS ON)
# Loaded at run time, where a launcher of PMIx has started the process.
set(CPACK_DEBIAN_SYNCLINE_PACKAGE_RECOMMENDS libpmix2)
# gnuplot is for --plot only.
set(CPACK_DEBIAN_SYNCLINE_PACKAGE_SUGGESTS "syncline-daemon, libsyncline-dev, libpmi2-0, gnuplot-nox")
set(CPACK_DEBIAN_SYNCLINE_DESCRIPTION
  "The libraries of Syncline, OpenSHMEM and ARMCI programs, the commands that start and measure them, and the daemon that \
a job of one machine starts by itself.")
syncline_copyright(syncline syncline)
syncline_commands(syncline oshrun)
file(WRITE ${PROJECT_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
# CPack could write this line by itself, but it would call file(1) for each manual page of the other packages.
file(WRITE ${PROJECT_BINARY_DIR}/package/shlibs "libsyncline ${SYNCLINE_SOVERSION} syncline (>= ${PROJECT_VERSION})\n\
libarmci ${SYNCLINE_SOVERSION} syncline (>= ${PROJECT_VERSION})\n\
libsyncline_dsm ${SYNCLINE_SOVERSION} syncline (>= ${PROJECT_VERSION})\n")
list(APPEND CPACK_DEBIAN_SYNCLINE_PACKAGE_CONTROL_EXTRA
  ${PROJECT_BINARY_DIR}/package/triggers ${PROJECT_BINARY_DIR}/package/shlibs)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libsyncline-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "syncline ${same_version}")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "pkg-config, gcc | c-compiler")
set(CPACK_DEBIAN_DEV_DESCRIPTION
  "What compiles Syncline, OpenSHMEM and ARMCI programs: headers, oshcc, the files for pkg-config and CMake, and the \
manual pages of the calls.")
syncline_copyright(libsyncline-dev dev)
syncline_commands(dev oshcc oshc++)

set(CPACK_DEBIAN_DAEMON_PACKAGE_NAME syncline-daemon)
set(CPACK_DEBIAN_DAEMON_PACKAGE_SECTION net)
set(CPACK_DEBIAN_DAEMON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DAEMON_PACKAGE_DEPENDS "syncline ${same_version}, init-system-helpers (>= 1.54)")
set(CPACK_DEBIAN_DAEMON_DESCRIPTION
  "Has synclined run on this machine, so that srun and mpirun can start jobs of its users over several machines.")
syncline_copyright(syncline-daemon daemon)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/synclined.service DESTINATION /lib/systemd/system
  COMPONENT daemon EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/synclined.toml DESTINATION /etc/syncline
  COMPONENT daemon EXCLUDE_FROM_ALL)
file(WRITE ${PROJECT_BINARY_DIR}/package/conffiles "/etc/syncline/synclined.toml\n")
foreach(script postinst prerm postrm)
  list(APPEND CPACK_DEBIAN_DAEMON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/daemon/${script})
endforeach()
list(APPEND CPACK_DEBIAN_DAEMON_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/conffiles)

include(CPack)
