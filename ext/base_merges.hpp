// The merges of a tokenizer from which a training goes on: they are applied to its words first.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "maps.hpp"
#include "stage.hpp"
#include "word_merger.hpp"

namespace bpe_lab {

// The merger of the encoder, under the ids of the training: it has 256 + rank where a merge has its new id.
class BaseMerges {
 public:
  // Each joins bytes and the tokens of earlier ones.
  explicit BaseMerges(const std::vector<Merge>& merges) {
    if (merges.empty()) return;
    FlatMap<std::uint32_t> tokens;  // id -> 256 + rank
    const auto token_of = [&tokens](std::uint32_t id) { return id < kBytes ? id : *tokens.find(id); };
    std::vector<Pair> pairs;
    for (const Merge& merge : merges) {
      pairs.push_back(pair_of(token_of(merge.left), token_of(merge.right)));
      tokens[merge.new_id] = kBytes + static_cast<std::uint32_t>(ids_.size());
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
