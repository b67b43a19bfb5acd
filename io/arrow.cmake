# Arrow C++, which reads parquet: installed, or from the wheel of pyarrow that tools/setup puts into .venv-py or .venv (or
# that EXPOSE_PYTHON has). Makes the target expose_arrow, or none.
set(EXPOSE_ARROW AUTO CACHE STRING "Read parquet with Arrow C++: AUTO (where it is found), ON or OFF")
set_property(CACHE EXPOSE_ARROW PROPERTY STRINGS AUTO ON OFF)
set(EXPOSE_PYTHON "" CACHE FILEPATH "A Python whose pyarrow is linked against; empty: that of .venv-py or .venv")

# The headers and the two libraries of a wheel. Their names carry the version, so they are given by their full paths.
function(expose_find_pyarrow)
  set(python "${EXPOSE_PYTHON}")
  foreach(folder IN ITEMS .venv-py .venv)
    if(NOT python AND EXISTS "${PROJECT_SOURCE_DIR}/${folder}/bin/python")
      set(python "${PROJECT_SOURCE_DIR}/${folder}/bin/python")
    endif()
  endforeach()
  # A wheel is for the machine that builds; what is built may be for another one.
  if(NOT EXISTS "${python}" OR CMAKE_CROSSCOMPILING)
    return()
  endif()
  execute_process(COMMAND "${python}" -c [[
import glob, os, pyarrow
folder = pyarrow.get_library_dirs()[0]
arrow, parquet = (min(glob.glob(os.path.join(folder, f"lib{name}.so*")), key=len) for name in ("arrow", "parquet"))
print(pyarrow.get_include(), arrow, parquet, sep=";")]]
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE result ERROR_QUIET)
  list(LENGTH found parts)
  if(NOT result EQUAL 0 OR NOT parts EQUAL 3)
    return()
  endif()
  list(POP_FRONT found include)
  add_library(expose_arrow INTERFACE)
  target_include_directories(expose_arrow SYSTEM INTERFACE "${include}")
  target_link_libraries(expose_arrow INTERFACE ${found})
endfunction()

if(EXPOSE_ARROW)
  find_package(Arrow CONFIG QUIET)
  find_package(Parquet CONFIG QUIET)
  if(TARGET Parquet::parquet_shared AND TARGET Arrow::arrow_shared AND Arrow_VERSION VERSION_GREATER_EQUAL 21)
    add_library(expose_arrow INTERFACE)
    target_link_libraries(expose_arrow INTERFACE Parquet::parquet_shared Arrow::arrow_shared)
  else()
    expose_find_pyarrow()
  endif()
  if(EXPOSE_ARROW STREQUAL "ON" AND NOT TARGET expose_arrow)
    message(FATAL_ERROR "EXPoSE needs Arrow C++ 21 or later for parquet (or EXPOSE_ARROW=OFF); tools/setup python puts it into .venv")
  endif()
endif()
