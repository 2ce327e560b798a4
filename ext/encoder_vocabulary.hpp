// What all encoders of a tokenizer share, and nobody changes: its merges, its ids, and the words that are never merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "stage.hpp"
#include "word_merger.hpp"
#include "word_table.hpp"

namespace bpe_lab {

class Vocabulary {
 public:
  // ids: of each byte, then of what each merge makes. words: are looked up and never merged, each with its id of
  // word_ids.
  Vocabulary(const std::vector<Pair>& merges, std::vector<std::uint32_t> ids, const std::vector<std::string>& words = {},
             const std::vector<std::uint32_t>& word_ids = {})
      : table_(merges), ids_(std::move(ids)) {
    if (ids_.size() != kBytes + merges.size()) throw std::invalid_argument("an id for each byte and each merge");
    for (std::size_t i = 0; i < words.size(); ++i) {
      words_.add(padded_key(reinterpret_cast<const std::uint8_t*>(words[i].data()), words[i].size()),
                 word_ids[i] + std::uint64_t{1});
    }
  }

  const MergeTable& merges() const { return table_; }
  std::uint32_t id(std::uint32_t token) const { return ids_[token]; }
  std::size_t size() const { return ids_.size(); }

  // Word -> id + 1, of the words that are never merged.
  const WordTable& words() const { return words_; }

 private:
  MergeTable table_;
  std::vector<std::uint32_t> ids_;
  WordTable words_;
};

}  // namespace bpe_lab
