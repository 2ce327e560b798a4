// What bad_hash.cpp offers.
#pragma once

#include <cstddef>

// Whether three threads that count so many words at once have the counts of std::unordered_map.
bool counts_with_bad_hash(std::size_t words);
