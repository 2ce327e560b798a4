// A pair of token ids as one integer.
#pragma once

#include <cstdint>

namespace bpe_lab {

using Pair = std::uint64_t;

inline Pair pair_of(std::uint32_t left, std::uint32_t right) {
  return Pair{left} << 32 | right;
}
inline std::uint32_t left_of(Pair pair) { return static_cast<std::uint32_t>(pair >> 32); }
inline std::uint32_t right_of(Pair pair) { return static_cast<std::uint32_t>(pair); }

}  // namespace bpe_lab
