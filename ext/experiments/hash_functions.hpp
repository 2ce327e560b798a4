// What the suite `hashing` compares: hash functions of a pair of ids.
#pragma once

#include <cstddef>
#include <cstdint>

#include "maps.hpp"
#include "stage.hpp"

namespace bpe_lab {

enum class HashFunction { kIdentity, kShiftedXor, kBoostCombine, kFibonacci, kMultiplyMix };

struct Identity {
  std::size_t operator()(Pair pair) const noexcept { return static_cast<std::size_t>(pair); }
};

// The bad one: ids below 32,768 give no more than 65,536 values.
struct ShiftedXor {
  std::size_t operator()(Pair pair) const noexcept {
    return left_of(pair) ^ std::size_t{right_of(pair)} << 1;
  }
};

// boost::hash_combine of two integers, as it was until Boost 1.80.
struct BoostCombine {
  std::size_t operator()(Pair pair) const noexcept {
    std::size_t hash = 0;
    for (const std::uint32_t id : {left_of(pair), right_of(pair)}) {
      hash ^= id + std::size_t{0x9E3779B9u} + (hash << 6) + (hash >> 2);
    }
    return hash;
  }
};

// The two halves of a product of 128 bits, folded: the step of wyhash.
struct MultiplyMix {
  std::size_t operator()(Pair pair) const noexcept {
    const unsigned __int128 product =
        static_cast<unsigned __int128>(pair ^ 0xA0761D6478BD642Fu) * 0xE7037ED1A0B428DBu;
    return static_cast<std::size_t>(product ^ product >> 64);
  }
};

// Calls `visit` with a hash function.
template <class Visit>
auto with_hash(HashFunction hash, Visit&& visit) {
  switch (hash) {
    case HashFunction::kIdentity: return visit(Identity());
    case HashFunction::kShiftedXor: return visit(ShiftedXor());
    case HashFunction::kBoostCombine: return visit(BoostCombine());
    case HashFunction::kFibonacci: return visit(FoldedFibonacci());
    case HashFunction::kMultiplyMix: return visit(MultiplyMix());
  }
  __builtin_unreachable();
}

inline std::uint64_t hash_pair(HashFunction hash, std::uint32_t left, std::uint32_t right) {
  return with_hash(hash, [&](auto function) -> std::uint64_t { return function(pair_of(left, right)); });
}

}  // namespace bpe_lab
