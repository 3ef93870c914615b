# fernwood_embed(module source files...): compiles text files into a module. src/<module>/<source>.in is the source, with
# @name@ in the place of the contents of the file of that name.
function(fernwood_embed module source)
  foreach(path IN LISTS ARGN)
    file(READ ${path} text)
    get_filename_component(name ${path} NAME)
    set(${name} "${text}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  endforeach()
  configure_file(src/${module}/${source}.in ${CMAKE_CURRENT_BINARY_DIR}/src/${module}/${source} @ONLY)
  target_sources(fernwood_${module} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/src/${module}/${source})
endfunction()
