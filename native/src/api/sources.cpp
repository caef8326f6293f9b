// Of which sources the core was built, in the C API.
#include "api/api.hpp"

const char* ludens_sources() { return LUDENS_SOURCES; }
