# SPDX-License-Identifier: BSD-3-Clause
# Quick builds: ccache, headers compiled once, and less optimisation where nothing is measured.
option(SYNCLINE_PRECOMPILED "Compile the headers that most files include once" ON)
option(SYNCLINE_UNITY "Compile several files of a target at once" ON)

# ccache keeps compilations that use a precompiled header only if it may disregard macros that the header does not see. It
# finds them again from a clone in another folder, because to it paths below this one are relative, and to objects, too. It need
# not preprocess, because compilers list the headers that they read (CCACHE_DEPEND).
find_program(SYNCLINE_CCACHE ccache)
set(SYNCLINE_LAUNCHER "")
if(SYNCLINE_CCACHE)
  set(SYNCLINE_LAUNCHER ${PROJECT_SOURCE_DIR}/scripts/relative-paths ${PROJECT_BINARY_DIR}
    env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 ${SYNCLINE_CCACHE})
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
  foreach(language C CXX)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${SYNCLINE_LAUNCHER})
    endif()
  endforeach()
endif()

# mold links in a tenth of the time. The compiler's own choice links what is installed.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=mold SYNCLINE_MOLD)

# An object library of nothing but the headers, which others use with REUSE_FROM. The compiler wants equal flags of both.
function(syncline_precompile_headers name)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// The headers are the content.\n")
  add_library(${name} OBJECT ${source})
  target_precompile_headers(${name} PRIVATE ${ARGN})
  # The options that ccache asks of each compiler. clang has the absolute path of the header in what it makes of it: this one is
  # right in every clone's folder of the build.
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess> "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp -working-directory=/proc/self/cwd>")
endfunction()

function(syncline_reuse_headers target headers)
  if(NOT SYNCLINE_PRECOMPILED)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
  # The compiler wants equal macros, too, which come from the libraries whose headers these are.
  target_compile_definitions(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:$<TARGET_PROPERTY:${headers},COMPILE_DEFINITIONS>>)
  if(headers STREQUAL syncline_test_headers)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:$<TARGET_PROPERTY:GTest::gtest,INTERFACE_COMPILE_OPTIONS>>)
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.c$")
  if(sources)
    syncline_set_source_properties(${target} "${sources}" SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# For sources of a target of another folder, as that folder names them.
function(syncline_set_source_properties target sources)
  get_target_property(folder ${target} SOURCE_DIR)
  list(TRANSFORM sources PREPEND ${folder}/ REGEX "^[^/]")
  set_source_files_properties(${sources} TARGET_DIRECTORY ${target} PROPERTIES ${ARGN})
endfunction()

# Compiles up to `size` files of a target as one. CMake's own way would name the files by absolute paths, with which ccache
# finds nothing again from a clone in another folder. The source file property SKIP_UNITY_BUILD_INCLUSION excepts a file; each
# has its reason beside it.
function(syncline_unite target size)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(build_folder ${target} BINARY_DIR)
  set(united "")
  set(alone "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE OUTPUT_VARIABLE path)
    set(except "")
    foreach(property SKIP_UNITY_BUILD_INCLUSION COMPILE_OPTIONS COMPILE_DEFINITIONS GENERATED)
      get_source_file_property(value ${path} TARGET_DIRECTORY ${target} ${property})
      if(value)
        set(except ${property})
      endif()
    endforeach()
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${path} made)
    if(except OR made OR NOT path MATCHES "\\.cpp$")
      list(APPEND alone ${source})
    else()
      cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      list(APPEND united ${path})
    endif()
  endforeach()
  list(LENGTH united count)
  if(count LESS 2)
    return()
  endif()
  # All units have about as many files.
  math(EXPR units "(${count} + ${size} - 1) / ${size}")
  math(EXPR length "(${count} + ${units} - 1) / ${units}")
  set(files "")
  foreach(unit RANGE 1 ${units})
    list(SUBLIST united 0 ${length} part)
    list(REMOVE_ITEM united ${part})
    list(TRANSFORM part REPLACE "(.+)" "#include \"\\1\"\n")
    list(JOIN part "" part)
    set(file ${build_folder}/${target}_${unit}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${part}" @ONLY)
    list(APPEND files ${file})
  endforeach()
  set_source_files_properties(${files} TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS "-iquote;${PROJECT_SOURCE_DIR}")
  set_target_properties(${target} PROPERTIES SOURCES "${alone};${files}")
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

# Which of the kinds a target is, or nothing: the code that has to be quick, of which sanitizers leave a part slow; the command
# lines (`syncline` and its subcommands, which run once); and programs of tests in C++. A library with the property SYNCLINE_KIND
# is of that kind: `quickly`, of code that is to be compiled quickly.
function(syncline_kind target variable)
  get_target_property(kind ${target} SYNCLINE_KIND)
  if(kind)
    set(${variable} ${kind} PARENT_SCOPE)
    return()
  endif()
  set(${variable} "" PARENT_SCOPE)
  get_target_property(type ${target} TYPE)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(standard ${target} CXX_STANDARD)
  if(NOT type MATCHES "^(STATIC_LIBRARY|SHARED_LIBRARY|OBJECT_LIBRARY|EXECUTABLE)$" OR NOT "${sources}" MATCHES "\\.cpp"
      OR NOT standard EQUAL CMAKE_CXX_STANDARD)
    return()
  elseif(target IN_LIST SYNCLINE_COMMAND_LINES)
    set(${variable} command PARENT_SCOPE)
  elseif(NOT type STREQUAL EXECUTABLE AND NOT target MATCHES "_headers$|^(syncline_version|test_folders|test_suite)$")
    set(${variable} library PARENT_SCOPE)
    if(SYNCLINE_SANITIZE AND NOT target IN_LIST SYNCLINE_INNERMOST)
      set(${variable} slow PARENT_SCOPE)
    endif()
  elseif(type STREQUAL EXECUTABLE AND folder MATCHES "/tests(/|$)" AND NOT folder MATCHES "/tests/fuzz$")
    set(${variable} test PARENT_SCOPE)
  endif()
endfunction()

# The headers of a kind, as `syncline_<kind>_headers`, with its options of the compiler.
function(syncline_precompile_kind kind options)
  set(headers syncline_${kind}_headers)
  syncline_precompile_headers(${headers} <algorithm> <array> <atomic> <cstdint> <cstring> <deque> <fmt/format.h> <functional>
    <map> <memory> <mutex> <optional> <string> <thread> <vector> ${ARGN})
  target_compile_options(${headers} PRIVATE ${options})
  target_link_libraries(${headers} PRIVATE fmt::fmt syncline_warnings Threads::Threads)
endfunction()

# For all targets of the project; behind the last of them.
set(SYNCLINE_INNERMOST syncline_base syncline_firmware syncline_fabric syncline_runtime syncline_deterministic syncline_test_nic
  syncline_contended_firmware)
set(SYNCLINE_COMMAND_LINES syncline_app syncline_bench syncline_perf_options syncline_perf_report syncline_report
  syncline_sim_command syncline-command synclined linearizability_pe)
function(syncline_speed_up)
  set(quick $<$<CONFIG:RelWithDebInfo>:-Og>)
  set(for_test ${quick})
  # Sanitizers look at the library, the daemon and the launcher; of these they optimise the part in which tests spend their
  # time, because the compiler takes three times as long. Parsers of options, which are all templates, would take half of the
  # build.
  set(for_command ${quick})
  set(for_library "")
  set(for_quickly ${quick}) # with headers of its own, because gcc 14 takes none that were compiled with other optimisation
  set(for_slow "")
  if(SYNCLINE_SANITIZE)
    set(for_library -O1)
    set(for_command -fno-sanitize=all)
    set(for_test -fno-sanitize=undefined)
  endif()
  syncline_list_targets(${PROJECT_SOURCE_DIR} targets)
  if(SYNCLINE_PRECOMPILED)
    syncline_precompile_kind(library "${for_library}")
    syncline_precompile_kind(command "${for_command}" <CLI/CLI.hpp> <nlohmann/json.hpp>)
    if(SYNCLINE_SANITIZE)
      syncline_precompile_kind(slow "${for_slow}")
    endif()
    if(TARGET syncline_checked_job)
      syncline_precompile_kind(quickly "${for_quickly}")
    endif()
    if(SYNCLINE_TESTS) # which are compiled with -fPIE, and all others with -fPIC
      find_package(GTest REQUIRED)
      syncline_precompile_kind(test "-fPIE;${for_test}" <gtest/gtest.h>)
      set_target_properties(syncline_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_link_libraries(syncline_test_headers PRIVATE GTest::gtest)
    endif()
  endif()
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    get_target_property(folder ${target} SOURCE_DIR)
    syncline_kind(${target} kind)
    if(kind)
      target_compile_options(${target} PRIVATE ${for_${kind}})
      syncline_reuse_headers(${target} syncline_${kind}_headers)
    elseif(type STREQUAL EXECUTABLE AND folder MATCHES "/tests(/|$)")
      target_compile_options(${target} PRIVATE ${quick})
    endif()
    if(kind STREQUAL command) # also if it is a program
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${target} PRIVATE -fPIC)
    endif()
    if(kind STREQUAL command AND SYNCLINE_UNITY) # whose files instantiate the same templates, of options and of JSON
      syncline_unite(${target} 24)
    elseif(SYNCLINE_UNITY AND (kind OR target STREQUAL syncline-bench-pe))
      syncline_unite(${target} 16)
    endif()
    if(SYNCLINE_MOLD AND type STREQUAL EXECUTABLE AND (SYNCLINE_SANITIZE OR folder MATCHES "/tests(/|$)"))
      target_link_options(${target} PRIVATE -fuse-ld=mold)
    endif()
  endforeach()
endfunction()
