// Memory that fails on demand, in the program that is linked with failing_memory.cpp.
#pragma once

#include <atomic>

namespace bpe_lab {

// Allocations that succeed before one fails; below 0: none fails.
extern std::atomic<long> allocations_left;

}  // namespace bpe_lab
