// ludens.h for the C++ side: with C linkage and the integer types that the cdef takes for granted.
#pragma once

#include <cstdint>

extern "C" {
#include "ludens.h"
}
