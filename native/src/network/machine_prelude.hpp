// What network/machine.inl needs from outside, included before any target is switched on: inline functions of
// the standard library must not be compiled for one instruction set and then shared with another.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <string>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "network/game.hpp"
#include "network/playout_policy.hpp"
