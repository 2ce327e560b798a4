// Merges that are given: those of a tokenizer from which a training goes on, made in its words first.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "maps.hpp"
#include "pair.hpp"
#include "stage.hpp"
#include "word_merger.hpp"

namespace bpe_lab {

// The merger of the encoder, under the ids of the training: it has 256 + rank where a merge has its new id.
class GivenMerges {
 public:
  // Each joins bytes and what earlier ones have made.
  explicit GivenMerges(const std::vector<Merge>& merges) {
    if (merges.empty()) return;
    FlatMap<std::uint32_t> made;  // id -> 256 + rank
    const auto inside = [&made](std::uint32_t id) { return id < kBytes ? id : *made.find(id); };
    std::vector<Pair> pairs;
    for (const Merge& merge : merges) {
      pairs.push_back(pair_of(inside(merge.left), inside(merge.right)));
      made[merge.new_id] = kBytes + static_cast<std::uint32_t>(ids_.size());
      ids_.push_back(merge.new_id);
    }
    table_ = std::make_unique<MergeTable>(pairs);
    merger_ = std::make_unique<WordMerger>(*table_);
  }

  // Merges the tokens of a word, which come as bytes.
  void merge(std::vector<std::uint32_t>& tokens) {
    if (merger_ == nullptr) return;
    merger_->merge(tokens);
    for (std::uint32_t& token : tokens) {
      if (token >= kBytes) token = ids_[token - kBytes];
    }
  }

 private:
  std::vector<std::uint32_t> ids_;  // by rank
  std::unique_ptr<const MergeTable> table_;
  std::unique_ptr<WordMerger> merger_;
};

}  // namespace bpe_lab
