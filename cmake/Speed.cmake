# SPDX-License-Identifier: BSD-3-Clause
# Quick builds: ccache, headers compiled once, and less optimisation where nothing is measured.
option(SYNCLINE_PRECOMPILED "Compile the headers that most files include once" ON)
option(SYNCLINE_UNITY "Compile several files of a target at once" ON)

# ccache keeps compilations that use a precompiled header only if it may disregard macros that the header does not see.
find_program(SYNCLINE_CCACHE ccache)
set(SYNCLINE_LAUNCHER "")
if(SYNCLINE_CCACHE)
  set(SYNCLINE_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${SYNCLINE_CCACHE})
  foreach(language C CXX)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${SYNCLINE_LAUNCHER})
    endif()
  endforeach()
endif()

# An object library of nothing but the headers, which others use with REUSE_FROM. The compiler wants equal flags of both.
function(syncline_precompile_headers name)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// The headers are the content.\n")
  add_library(${name} OBJECT ${source})
  target_precompile_headers(${name} PRIVATE ${ARGN})
  # The options that ccache asks of each compiler.
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess> $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Xclang -fno-pch-timestamp>)
endfunction()

function(syncline_reuse_headers target headers)
  if(SYNCLINE_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${headers})
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
  endif()
endfunction()

function(syncline_list_targets folder variable)
  get_property(found DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below ${folders})
    syncline_list_targets(${below} more)
    list(APPEND found ${more})
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# Which of the three kinds a target is, or nothing: the code that has to be quick, the command lines (`syncline` and its
# subcommands, which run once), and tests by GoogleTest. Programs of other tests are small C or C++ files.
function(syncline_kind target variable)
  set(${variable} "" PARENT_SCOPE)
  get_target_property(type ${target} TYPE)
  get_target_property(sources ${target} SOURCES)
  get_target_property(links ${target} LINK_LIBRARIES)
  get_target_property(folder ${target} SOURCE_DIR)
  if(NOT type MATCHES "^(STATIC_LIBRARY|SHARED_LIBRARY|OBJECT_LIBRARY|EXECUTABLE)$" OR NOT "${sources}" MATCHES "\\.cpp"
      OR "${sources}" MATCHES "\\.c(;|$)") # of C, CMake wants such headers, too
    return()
  elseif(target IN_LIST SYNCLINE_COMMAND_LINES)
    set(${variable} command PARENT_SCOPE)
  elseif(NOT type STREQUAL EXECUTABLE AND NOT target MATCHES "_headers$|^syncline_version$" AND NOT folder MATCHES "/tests/suite$")
    set(${variable} library PARENT_SCOPE)
  elseif("${links}" MATCHES "GTest::")
    set(${variable} test PARENT_SCOPE)
  endif()
endfunction()

# For all targets of the project; behind the last of them.
set(SYNCLINE_COMMAND_LINES syncline_app syncline_bench syncline_perf_options syncline_perf_report syncline_report
  syncline_sim_command syncline-command synclined linearizability_pe)
function(syncline_speed_up)
  set(quick $<$<CONFIG:RelWithDebInfo>:-Og>)
  set(for_tests ${quick})
  # Sanitizers look at the library, the daemon and the launcher, in which tests spend their time. Parsers of options,
  # which are all templates, would take half of the build.
  set(for_commands ${quick})
  set(for_libraries "")
  if(SYNCLINE_SANITIZE)
    set(for_libraries -O1)
    set(for_commands -O0 -fno-sanitize=all)
    set(for_tests -fno-sanitize=undefined)
  endif()
  set(common <algorithm> <array> <atomic> <cstdint> <cstring> <deque> <fmt/format.h> <functional> <map> <memory> <mutex>
    <optional> <string> <thread> <vector>)
  syncline_list_targets(${PROJECT_SOURCE_DIR} targets)
  if(SYNCLINE_PRECOMPILED)
    syncline_precompile_headers(syncline_library_headers ${common})
    syncline_precompile_headers(syncline_command_headers ${common} <CLI/CLI.hpp> <nlohmann/json.hpp>)
    target_compile_options(syncline_command_headers PRIVATE ${for_commands})
    target_compile_options(syncline_library_headers PRIVATE ${for_libraries})
    target_link_libraries(syncline_library_headers PRIVATE fmt::fmt syncline_warnings Threads::Threads)
    target_link_libraries(syncline_command_headers PRIVATE fmt::fmt syncline_warnings Threads::Threads)
    if(SYNCLINE_TESTS)
      find_package(GTest REQUIRED)
      syncline_precompile_headers(syncline_test_headers ${common} <gtest/gtest.h>)
      # Libraries are compiled with -fPIC, programs with -fPIE.
      set_target_properties(syncline_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(syncline_test_headers PRIVATE -fPIE ${for_tests})
      target_link_libraries(syncline_test_headers PRIVATE GTest::gtest fmt::fmt syncline_warnings Threads::Threads)
    endif()
  endif()
  foreach(target ${targets})
    syncline_kind(${target} kind)
    get_target_property(type ${target} TYPE)
    if(kind AND NOT (kind STREQUAL "command" AND type STREQUAL "EXECUTABLE")) # of -fPIE, see above
      syncline_reuse_headers(${target} syncline_${kind}_headers)
    endif()
    # The source file property SKIP_UNITY_BUILD_INCLUSION excepts a file; each has its reason beside it.
    if(kind AND SYNCLINE_UNITY)
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
      if(kind STREQUAL "command") # whose files instantiate the same templates, of options and of JSON
        set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 24)
      endif()
    endif()
    if(kind STREQUAL "command")
      target_compile_options(${target} PRIVATE ${for_commands})
    elseif(kind STREQUAL "library")
      target_compile_options(${target} PRIVATE ${for_libraries})
    elseif(kind STREQUAL "test")
      target_compile_options(${target} PRIVATE ${for_tests})
    endif()
  endforeach()
endfunction()
