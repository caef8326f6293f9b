// What checkers_*.inl need from outside, included before any target is switched on: inline functions must not be
// compiled for one instruction set and then shared with another.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/noted_moves.hpp"
#include "checkers/game.hpp"
