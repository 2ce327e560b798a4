// Straightforward versions of the scanner and of the counter, and texts to try them on.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "checks.hpp"

namespace bpe_lab {

struct Point {
  std::size_t begin, end;
  unsigned kind;
};

// Code points by the definition of UTF-8. Stops at the first invalid byte; `valid` tells where.
std::vector<Point> points_of(const std::string& text, std::size_t& valid);

// The pattern, its alternatives tried one after the other at each position. Returns where words end.
std::vector<std::size_t> word_ends(const std::string& text, const std::vector<Point>& points);

// The longest special token that begins at a byte; 0: none does.
std::size_t match_slowly(const std::string& text, std::size_t at, const std::vector<std::string>& specials);

// At every byte, the longest special token that begins there cuts.
Counts count_slowly(const std::string& text, const std::vector<std::string>& specials);

// `wide`: with characters that are not ASCII; `bad`: with some bytes that are not UTF-8.
std::string random_text(Random& random, std::size_t size, bool wide, bool bad);

}  // namespace bpe_lab
