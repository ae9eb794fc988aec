# find_package(Foretell), then foretell_instrument(target...): records these targets.
#
#   clang 19           the compiler plugin: values, expressions
#   gcc, other clang   the compiler's own -fsanitize=thread, only when compiling: no values of
#                      stores, no expressions; linked with Foretell's runtime instead of its own
#
# An instrumented static library hands the runtime on to what links it.
cmake_path(SET Foretell_ROOT_DIR NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../..")
set(Foretell_LIBRARY_DIR "${Foretell_ROOT_DIR}/lib/foretell")
set(Foretell_RUNTIME "${Foretell_LIBRARY_DIR}/libforetell_rt.so")
set(Foretell_PASS "${Foretell_LIBRARY_DIR}/foretell_pass.so")
set(Foretell_EXECUTABLE "${Foretell_ROOT_DIR}/bin/foretell")
foreach(_part "${Foretell_RUNTIME}" "${Foretell_PASS}" "${Foretell_EXECUTABLE}")
  if(NOT EXISTS "${_part}")
    set(Foretell_FOUND FALSE)
    set(Foretell_NOT_FOUND_MESSAGE "${_part} is missing: build or install Foretell completely")
    return()
  endif()
endforeach()
unset(_part)

if(NOT TARGET Foretell::runtime)
  add_library(Foretell::runtime INTERFACE IMPORTED)
  # Before the objects and not as a library: its functions must be found before everybody else's,
  # and no --as-needed may drop it.
  set_target_properties(Foretell::runtime PROPERTIES
    INTERFACE_LINK_OPTIONS
      "LINKER:--push-state,--no-as-needed;${Foretell_RUNTIME};LINKER:--pop-state;LINKER:-rpath,${Foretell_LIBRARY_DIR}")
endif()

function(foretell_instrument)
  foreach(target ${ARGN})
    if(NOT TARGET ${target})
      message(FATAL_ERROR "foretell_instrument: there is no target '${target}'")
    endif()
    get_target_property(type ${target} TYPE)
    if(NOT type MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY|STATIC_LIBRARY|OBJECT_LIBRARY)$")
      message(FATAL_ERROR "foretell_instrument: '${target}' compiles nothing (it is ${type})")
    endif()
    foreach(language C CXX)
      if(CMAKE_${language}_COMPILER_ID STREQUAL "Clang" AND
         CMAKE_${language}_COMPILER_VERSION VERSION_GREATER_EQUAL 19 AND
         CMAKE_${language}_COMPILER_VERSION VERSION_LESS 20)
        # Also where a class is made elsewhere its members have names. With AddressSanitizer, locals
        # stay on the stack, which is its thread's own.
        set(options "-fplugin=${Foretell_PASS}" "-fpass-plugin=${Foretell_PASS}" -fstandalone-debug
            --start-no-unused-arguments -fsanitize-address-use-after-return=never
            --end-no-unused-arguments)
      elseif(CMAKE_${language}_COMPILER_ID MATCHES "^(GNU|Clang)$")
        set(options -fsanitize=thread)
      elseif(CMAKE_${language}_COMPILER_ID)
        message(FATAL_ERROR "foretell_instrument: Foretell cannot instrument what "
                "${CMAKE_${language}_COMPILER_ID} compiles; use clang 19 or gcc")
      else()
        continue()
      endif()
      # Reports need line numbers; the configurations that have debug info choose their own.
      target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANGUAGE:${language}>:${options}>"
        "$<$<AND:$<COMPILE_LANGUAGE:${language}>,$<NOT:$<CONFIG:Debug,RelWithDebInfo>>>:-g>")
    endforeach()
    target_include_directories(${target} SYSTEM PRIVATE "${Foretell_ROOT_DIR}/include")
    # Properties instead of target_link_libraries, which wants the signature the project uses.
    if(type MATCHES "^(STATIC|OBJECT)_LIBRARY$")
      set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES Foretell::runtime)
    else()
      set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES Foretell::runtime)
    endif()
  endforeach()
endfunction()
