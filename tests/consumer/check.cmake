# Builds and runs examples/quickstart.cpp as users would, then looks at what they must never meet: our flags in their
# build, paths of our build in their package, internal symbols. Two ways:
#   static  the library of this build, installed, moved, and found by find_package and by pkg-config
#   shared  built as a subdirectory of a project that wants shared libraries, then all the same
cmake_minimum_required(VERSION 3.24)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(fail sentence)
  message(FATAL_ERROR "${sentence}")
endfunction()

unset(ENV{CXXFLAGS})  # a user with no flags of their own: any flag that shows is ours
set(quickstart "${source}/examples/quickstart.cpp")
set(common -G "${generator}" -D "CMAKE_CXX_COMPILER=${compiler}" -D "QUICKSTART=${quickstart}"
  -D CMAKE_EXPORT_COMPILE_COMMANDS=ON)
file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")

# The command in `build` that compiles the file whose path matches `file`.
function(compile_command build file result)
  file(READ "${build}/compile_commands.json" json)
  string(JSON count LENGTH "${json}")
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON compiled GET "${json}" ${i} file)
    if(compiled MATCHES "${file}")
      string(JSON command GET "${json}" ${i} command)
      set(${result} "${command}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  fail("${file} is not compiled in ${build}")
endfunction()

function(check_no_flag_leaks build)
  compile_command("${build}" "quickstart\\.cpp$" command)
  foreach(flag IN ITEMS -ffp-contract -fvisibility -Wshadow -O -march -DEXPOSE_BUILDING -DHWY_ "-isystem [^ ]*eigen3")
    if(command MATCHES " ${flag}")
      fail("${flag} leaks into the user's build: ${command}")
    endif()
  endforeach()
endfunction()

if(way STREQUAL "shared")
  set(build "${work}/subdirectory")
  set(config Debug)
  run("${CMAKE_COMMAND}" ${common} -D "EXPOSE_SOURCE=${source}" -D EXPOSE_INSTALL=ON -D BUILD_SHARED_LIBS=ON
    -D CMAKE_BUILD_TYPE=${config} -S "${source}/tests/consumer/add_subdirectory" -B "${build}")
  run("${CMAKE_COMMAND}" --build "${build}")
  run("${build}/app")
  check_no_flag_leaks("${build}")
  compile_command("${build}" "expose/base/[^/]*\\.cpp$" command)
  if(NOT command MATCHES " -ffp-contract=off ")
    fail("The library is compiled without -ffp-contract=off: ${command}")
  endif()
  if(command MATCHES " -W")
    fail("Our warnings are on in a user's build: ${command}")
  endif()
endif()

run("${CMAKE_COMMAND}" --install "${build}" --prefix "${work}/first" --config "${config}")
file(RENAME "${work}/first" "${work}/moved")

file(GLOB_RECURSE texts "${work}/moved/*.cmake" "${work}/moved/*.pc")
foreach(text IN LISTS texts)
  file(READ "${text}" content)
  foreach(path IN ITEMS "${source}" "${work}")
    string(FIND "${content}" "${path}" at)
    if(NOT at EQUAL -1)
      fail("${text} names ${path}, so the package cannot be moved")
    endif()
  endforeach()
endforeach()

# No installed header needs one that is not installed.
file(GLOB_RECURSE headers RELATIVE "${work}/moved/include" "${work}/moved/include/*.hpp")
list(TRANSFORM headers PREPEND "#include <")
list(TRANSFORM headers APPEND ">\n")
file(WRITE "${work}/headers.cpp" ${headers})
run("${compiler}" -std=c++20 -Wall -Wextra -Wconversion -Werror -fsyntax-only "-I${work}/moved/include"
  "${work}/headers.cpp")

run("${CMAKE_COMMAND}" ${common} -D "CMAKE_PREFIX_PATH=${work}/moved" -S "${source}/tests/consumer/find_package"
  -B "${work}/app")
run("${CMAKE_COMMAND}" --build "${work}/app")
check_no_flag_leaks("${work}/app")
run("${work}/app/app")

# The same by pkg-config.
find_program(pkg_config pkg-config REQUIRED)
file(GLOB_RECURSE pc "${work}/moved/*/expose.pc")
cmake_path(GET pc PARENT_PATH pc_dir)
cmake_path(GET pc_dir PARENT_PATH lib_dir)
execute_process(COMMAND "${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${pc_dir}" "${pkg_config}" --cflags --libs expose
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
run("${compiler}" -std=c++20 "${quickstart}" ${flags} -o "${work}/by_pkg_config")
run("${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${lib_dir}" "${work}/by_pkg_config")

if(way STREQUAL "shared")
  file(GLOB library "${lib_dir}/libexpose.so")
  execute_process(COMMAND "${nm}" -D --defined-only -C "${library}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "," symbols "${symbols}")
  string(REPLACE "[" "(" symbols "${symbols}")
  string(REPLACE "]" ")" symbols "${symbols}")
  string(REPLACE "\n" ";" symbols "${symbols}")
  foreach(symbol IN LISTS symbols)
    # The standard library's own templates are weak and visible in every shared library.
    if(symbol AND NOT symbol MATCHES "^[0-9a-f]+ [A-Za-z] ((vtable|typeinfo|typeinfo name|VTT) for )?expose::"
       AND NOT symbol MATCHES "^[0-9a-f]+ [WVu] .*(std|__gnu_cxx)::")
      fail("The shared library shows ${symbol}")
    endif()
    if(symbol MATCHES "expose::draw_frequency|hwy::|Eigen::")
      fail("The shared library shows what is internal: ${symbol}")
    endif()
  endforeach()
endif()
