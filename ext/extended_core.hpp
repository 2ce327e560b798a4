// The core, going on from a tokenizer: the merges of that are applied to the words first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core.hpp"
#include "flat_words.hpp"
#include "base_merges.hpp"
#include "stage.hpp"

namespace bpe_lab {

template <class Position, class Words = FlatWords>
class ExtendedCore final : public Core<Position, Words> {
 public:
  // The floor follows from the words of two or more tokens, by the proof of Core::min_final_count. Where
  // there are too few of them to tell, most pairs are rare, and all are listed.
  ExtendedCore(const WordRefs& words, const Setup& setup) : Core<Position, Words>(words, setup) {
    BaseMerges base(setup.merges);
    std::uint32_t merges = std::max(setup.end_id, setup.first_id) - setup.first_id;
    std::int64_t& floor = this->floor_ = this->min_count_;
    this->words_.change_words(this->vocab_, this->go_on_, [&](std::vector<std::uint32_t>& tokens, std::int64_t weight) {
      base.merge(tokens);
      this->pairs_counted_ += tokens.size() - 1;
      if (tokens.size() >= 2 && merges != 0 && --merges == 0) floor = std::max(floor, weight);
    });
  }

  void count_pairs() override { this->rebuild(this->floor_); }
};

}  // namespace bpe_lab
