# Writes OUTPUT, the definition of kVersion (version.h), if the commit or the number has changed. Run at each build:
#   cmake -DSOURCE=folder -DNUMBER=0.1.0 -DOUTPUT=version.cc -P version.cmake
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(commit)
  set(commit " (${commit})")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include "targets/compile/version.h"
namespace xt {
const char *const kVersion = "xt @NUMBER@@commit@";
}
]] @ONLY)
