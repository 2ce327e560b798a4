// One merge: a pass over the positions of its pair, which ascend.
//
// The pass replaces the matches in the array of tokens, and sums up what that does to the pairs around
// them; it changes no count and no list of a pair (core.hpp does, when the pass is over).
//
// The pair (new, new) is the special case. In `a b a b` the first match makes (ab, a) on its right, and
// the second one destroys it at once: it is taken back, and the pair (ab, ab) is noted apart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "flat_words.hpp"
#include "neighbour_sums.hpp"
#include "stage.hpp"
#include "vocab.hpp"

namespace bpe_lab {

template <class PositionType, class SumsType = NeighbourSums<PositionType>>
struct MergePass {
  using Position = PositionType;
  using Sums = SumsType;

  Sums lefts, rights;
  std::vector<Position> new_new_positions;  // of the pair (new, new)
  std::int64_t new_new_weight = 0;
  std::size_t stale = 0;  // positions at which the pair does not stand any more

  // Merges at the positions from `begin` to `end` that are still live.
  template <class Words>
  void run(Words& words, const Vocab& vocab, const Merge& merge, const Position* begin,
           const Position* end) {
    const auto [left, right, new_id] = merge;
    lefts.make_room(new_id);
    rights.make_room(new_id);
    if (begin == end) return;
    const std::size_t left_length = vocab.length(left), new_length = vocab.length(new_id);
    const auto cells = words.cells();
    // From the cell before a match to that behind it: often two cache lines. Both are in the array at a
    // stale position, too: when it was written, the pair stood there, and a separator behind it.
    const auto fetch = [&](std::size_t p) {
      if constexpr (!Words::kFetches) return;
      __builtin_prefetch(&cells[p - 1], 1);
      __builtin_prefetch(&cells[p + new_length], 1);
    };
    const Position* const fetched = begin + std::min(end - begin, kAhead);
    for (const Position* at = begin; at < fetched; ++at) fetch(*at);
    std::size_t step = words.step_near(*begin);
    // [pass
    for (const Position* at = begin; at < end; ++at) {
      if (end - at > kAhead) fetch(at[kAhead]);
      const std::size_t p = *at, middle = p + left_length, after = p + new_length;
      if (cells[p] != left || cells[middle] != right) {
        ++stale;
        continue;
      }
      cells[middle - 1] = Words::kDead;
      cells[middle] = Words::kDead;
      cells[p] = static_cast<typename Words::Id>(new_id);
      cells[after - 1] = static_cast<typename Words::Id>(new_id);
      const std::int64_t weight = words.weight(p, step);
      const std::uint32_t before = cells[p - 1], next = cells[after];
      if (before == new_id) {
        // The match just before has added (new, left) on its right. That (right, left) is gone stays true.
        rights.take_back(left, weight);
        new_new_weight += weight;
        new_new_positions.push_back(static_cast<Position>(p - new_length));
      } else if (before != Words::kSeparator) {
        lefts.add(before, weight, p - vocab.length(before));
      }
      if (next != Words::kSeparator) rights.add(next, weight, p);
    }
    // pass]
  }

  // Writes the positions of the new pairs that `out` was set for, except those of (new, new).
  void write_positions() {
    lefts.write_positions();
    rights.write_positions();
  }

  void clear() {
    lefts.clear();
    rights.clear();
    new_new_positions.clear();
    new_new_weight = 0;
    stale = 0;
  }

  static constexpr std::ptrdiff_t kAhead = 64;  // positions between a prefetch and its use
};

}  // namespace bpe_lab
