// Merges that are given: those of a tokenizer from which a training goes on, made in its words first.
//
// What a word is made into is what the merges make of it one after the other, each from left to right.
// That is found without going through all of them: of the pairs in the word the one whose merge comes
// first is merged, the leftmost of equals, until none has a merge. For a pair with a new token has a
// merge behind the one that made the token: none that comes earlier can turn up again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "maps.hpp"
#include "pair.hpp"
#include "stage.hpp"

namespace bpe_lab {

class GivenMerges {
 public:
  // Each joins bytes and what earlier ones have made.
  explicit GivenMerges(const std::vector<Merge>& merges) {
    for (const Merge& merge : merges) {
      const auto rank = static_cast<std::uint32_t>(made_.size());
      made_[pair_of(merge.left, merge.right)] = {rank, merge.new_id};
    }
  }

  // Merges the tokens of a word, which come as bytes: n of them in O(n log n).
  void merge(std::vector<std::uint32_t>& tokens) {
    if (made_.size() == 0 || tokens.size() < 2) return;
    const auto size = static_cast<std::uint32_t>(tokens.size());
    next_.resize(size);
    previous_.resize(size);
    for (std::uint32_t at = 0; at < size; ++at) {
      next_[at] = at + 1;
      previous_[at] = at - 1;  // of the first one never looked at
    }
    for (std::uint32_t at = 0; at + 1 < size; ++at) await(tokens, at);
    while (!waiting_.empty()) {
      const std::uint64_t first = waiting_.top();
      waiting_.pop();
      const auto rank = static_cast<std::uint32_t>(first >> 32), at = static_cast<std::uint32_t>(first);
      if (tokens[at] == kGone || next_[at] == size) continue;
      const std::uint32_t right = next_[at];
      const Made* const made = made_.find(pair_of(tokens[at], tokens[right]));
      if (made == nullptr || made->rank != rank) continue;  // another merge took one of the two
      tokens[at] = made->id;
      tokens[right] = kGone;
      next_[at] = next_[right];
      if (next_[at] != size) {
        previous_[next_[at]] = at;
        await(tokens, at);
      }
      if (at != 0) await(tokens, previous_[at]);
    }
    std::size_t kept = 0;
    for (std::uint32_t at = 0; at < size; at = next_[at]) tokens[kept++] = tokens[at];
    tokens.resize(kept);
  }

 private:
  struct Made {
    std::uint32_t rank, id;
  };
  static constexpr std::uint32_t kGone = kMostIds;

  // The token at `at`, which is not the last one, and the next one wait for their merge.
  void await(const std::vector<std::uint32_t>& tokens, std::uint32_t at) {
    const Made* const made = made_.find(pair_of(tokens[at], tokens[next_[at]]));
    if (made != nullptr) waiting_.push(std::uint64_t{made->rank} << 32 | at);
  }

  FlatMap<Made> made_;
  // Of the word that is merged: the neighbours of its tokens; (rank, place) of pairs, the smallest first.
  std::vector<std::uint32_t> next_, previous_;
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> waiting_;
};

}  // namespace bpe_lab
