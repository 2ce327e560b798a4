// Word -> count, of all words of a text: short words are divided by their hashes among many tables, to which
// several threads can add at the same time. (Partitioning by bits of a hash, as databases do before they group or join:
// Stefan Manegold, Peter Boncz and Martin Kersten, "Optimizing Main-Memory Join on Modern Hardware", 2002.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "word_table.hpp"

namespace bpe_lab {

class WordCounts {
 public:
  static constexpr unsigned kPartBits = 6;
  static constexpr std::size_t kParts = std::size_t{1} << kPartBits;

  static std::size_t part_of(std::uint32_t hash) { return hash >> (32 - kPartBits); }

  // Before the first word is added, and before there are several threads.
  void make_parts() {
    if (parts_ == nullptr) parts_ = std::make_unique<Parts>();
  }

  // Adds short words of one part. For several threads.
  void add(std::size_t part, SeenWord* words, std::size_t size) {
    const std::lock_guard<std::mutex> lock(parts_->locks[part]);
    parts_->tables[part].add(words, size);
  }

  // Adds long words and leaves that table empty. For several threads.
  void take_long(WordTable&& words) {
    const std::lock_guard<std::mutex> lock(parts_->locks[kParts]);
    parts_->tables[kParts].take(std::move(words));
  }

  void add_word(const std::uint8_t* word, std::size_t length, std::uint64_t count) {
    make_parts();
    const WordKey key = padded_key(word, length);
    parts_->tables[part_of(key)].add(key, count);
  }

  std::uint64_t count_of(const std::uint8_t* word, std::size_t length) const {
    if (parts_ == nullptr || length == 0) return 0;
    const WordKey key = padded_key(word, length);
    return parts_->tables[part_of(key)].count_of(key);
  }

  std::size_t size() const {
    std::size_t words = 0;
    for (std::size_t part = 0; parts_ != nullptr && part <= kParts; ++part) words += parts_->tables[part].size();
    return words;
  }

  // As that of a table.
  const WordSlot* next(const WordSlot* slot) const {
    std::size_t part = slot == nullptr ? 0 : part_of(*slot);
    for (; parts_ != nullptr && part <= kParts; ++part) {
      slot = parts_->tables[part].next(slot);
      if (slot != nullptr) return slot;
    }
    return nullptr;
  }

 private:
  struct Parts {
    SlotPool pool;
    WordTable tables[kParts + 1];  // the last one: long words
    std::mutex locks[kParts + 1];

    Parts() {
      for (std::size_t part = 0; part < kParts; ++part) tables[part] = WordTable(pool);
    }
  };

  template <class Word>
  static std::size_t part_of(const Word& word) {
    return word.length > kInlineBytes ? kParts : part_of(word.hash);
  }

  std::unique_ptr<Parts> parts_;
};

}  // namespace bpe_lab
