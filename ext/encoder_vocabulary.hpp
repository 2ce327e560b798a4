// What all encoders of a tokenizer share, and nobody changes: its merges, its ids, and the words that are one token.
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
  // word_ids; where there are none, those words are looked up of which the merges make one token.
  Vocabulary(const std::vector<Pair>& merges, std::vector<std::uint32_t> ids, const std::vector<std::string>& words = {},
             const std::vector<std::uint32_t>& word_ids = {})
      : table_(merges), ids_(std::move(ids)) {
    if (ids_.size() != kBytes + merges.size()) throw std::invalid_argument("an id for each byte and each merge");
    for (std::size_t i = 0; i < words.size(); ++i) {
      words_.add(padded_key(reinterpret_cast<const std::uint8_t*>(words[i].data()), words[i].size()),
                 word_ids[i] + std::uint64_t{1});
    }
    if (!words.empty()) return;
    WordMerger merger(table_);
    std::vector<std::uint8_t> word;
    std::vector<std::uint32_t> tokens;
    for (std::uint32_t token = 0; token < ids_.size(); ++token) {
      word.clear();
      spell(token, word);
      tokens.resize(word.size());
      // Other merges than those of a training may make tokens that their own bytes do not lead to, or one word twice.
      if (merger.merge(word.data(), word.size(), tokens.data()) != 1 || tokens[0] != token) continue;
      words_.add(padded_key(word.data(), word.size()), ids_[token] + std::uint64_t{1});
    }
  }

  const MergeTable& merges() const { return table_; }
  std::uint32_t id(std::uint32_t token) const { return ids_[token]; }

  // Word -> id + 1, of the words that are one token.
  const WordTable& words() const { return words_; }

 private:
  void spell(std::uint32_t token, std::vector<std::uint8_t>& word) const {
    std::vector<std::uint32_t> left{token};
    while (!left.empty()) {
      const std::uint32_t next = left.back();
      left.pop_back();
      if (next < kBytes) {
        word.push_back(static_cast<std::uint8_t>(next));
      } else {
        left.push_back(right_of(table_.pair(next)));
        left.push_back(left_of(table_.pair(next)));
      }
    }
  }

  MergeTable table_;
  std::vector<std::uint32_t> ids_;
  WordTable words_;
};

}  // namespace bpe_lab
