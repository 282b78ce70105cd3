# find_package(xt) defines xt::xt, the shared library libxt with its headers.
include("${CMAKE_CURRENT_LIST_DIR}/xt-targets.cmake")
