# find_package(brolga_c) gives the target brolga::brolga_c: the shared library of the folder that this file is installed in, or the static
# one where that is alone.
if(NOT TARGET brolga::brolga_c)
    get_filename_component(_brolga_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
    foreach(_brolga_name libbrolga_c.a libbrolga_c.dylib libbrolga_c.so)
        if(EXISTS "${_brolga_prefix}/lib/${_brolga_name}")
            set(_brolga_library "${_brolga_prefix}/lib/${_brolga_name}")
        endif()
    endforeach()
    if(NOT _brolga_library)
        set(brolga_c_FOUND FALSE)
        set(brolga_c_NOT_FOUND_MESSAGE "there is no libbrolga_c in ${_brolga_prefix}/lib")
        return()
    endif()
    add_library(brolga::brolga_c UNKNOWN IMPORTED)
    set_target_properties(brolga::brolga_c PROPERTIES
        IMPORTED_LOCATION "${_brolga_library}"
        INTERFACE_INCLUDE_DIRECTORIES "${_brolga_prefix}/include")
    # As in the file for pkg-config.
    if(_brolga_library MATCHES "\\.a$" AND UNIX AND NOT APPLE)
        set_target_properties(brolga::brolga_c PROPERTIES INTERFACE_LINK_LIBRARIES "gcc_s;util;rt;pthread;m;dl;c")
    endif()
    unset(_brolga_library)
    unset(_brolga_prefix)
endif()
