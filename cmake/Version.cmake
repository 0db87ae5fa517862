# SPDX-License-Identifier: BSD-3-Clause
# Writes the definition of version(), src/base/version.h. It runs in each build, because a commit changes no file that a
# build tool would look at, and leaves the file alone if it is right, so that a new commit compiles and links no more
# than what says its version. In a clone git names the commit; in a tarball of `make dist` it stands in Commit.cmake.
#
#   cmake -D VERSION=... -D SOURCE=<top folder> -D OUTPUT=<file> -P Version.cmake
set(text ${VERSION})
find_package(Git QUIET)
if(GIT_FOUND AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --dirty --tags
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    string(APPEND text " (${commit})")
  endif()
else()
  include(${CMAKE_CURRENT_LIST_DIR}/Commit.cmake)
  if(archived_commit MATCHES "^[0-9a-f]+$")
    string(SUBSTRING ${archived_commit} 0 12 commit)
    string(APPEND text " (${commit})")
  endif()
endif()
string(REGEX MATCH "^[0-9]+" major ${VERSION})
string(REGEX REPLACE "^[0-9]+\\.([0-9]+).*" "\\1" minor ${VERSION})
set(definition "// Written by cmake/Version.cmake.
#include \"base/version.h\"

#include <syncline.h>

static_assert(SYNCLINE_VERSION_MAJOR == ${major} && SYNCLINE_VERSION_MINOR == ${minor},
              \"CMakeLists.txt and syncline.h state different versions\");

namespace syncline {

const char* version() {
    return \"${text}\";
}

}  // namespace syncline
")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL definition)
  file(WRITE ${OUTPUT} "${definition}")
endif()
