// Words -> ids: what was encoded before is looked up, and seldom merged again.
//
// Nearly all words are found in a direct-mapped cache (as RecentWords of the counter is), which begins with the
// words of the vocabulary. What is not: in the vocabulary, then in a table of merged words, then it is merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "word_merger.hpp"
#include "word_queue.hpp"
#include "word_table.hpp"

namespace bpe_lab {

// What all threads share, and nobody changes.
class Vocabulary {
 public:
  // ids: of each byte, then of what each merge makes.
  Vocabulary(const std::vector<Pair>& merges, std::vector<std::uint32_t> ids)
      : table_(merges), ids_(std::move(ids)) {
    if (ids_.size() != kBytes + merges.size()) throw std::invalid_argument("an id for each byte and each merge");
    WordMerger merger(table_);
    std::vector<std::uint8_t> word;
    std::vector<std::uint32_t> tokens;
    for (std::uint32_t token = 0; token < ids_.size(); ++token) {
      word.clear();
      spell(token, word);
      merger.merge(word.data(), word.size(), tokens);
      // Others than those of a training may have tokens that their own bytes do not lead to.
      if (tokens.size() == 1) words_.add_word(word.data(), word.size(), ids_[tokens[0]] + std::uint64_t{1});
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

// What one thread needs to encode words.
class WordEncoder {
 public:
  static constexpr std::size_t kInlineIds = 3;

  explicit WordEncoder(const Vocabulary& vocabulary)
      : vocabulary_(vocabulary), merger_(vocabulary.merges()), recent_(kSlots) {
    std::memset(recent_.data(), 0xFF, kSlots * sizeof(Recent));  // no word has such bytes
    const WordTable& words = vocabulary.words();
    for (std::size_t i = 0; i < words.capacity(); ++i) {
      const WordSlot& slot = words.slot(i);
      if (slot.length == 0 || slot.length > kInlineBytes) continue;
      const std::uint64_t low = slot.low | kFilled.of[slot.length].low;
      const std::uint64_t high = slot.high | kFilled.of[slot.length].high;
      Recent& recent = recent_[slot_of(low, high)];
      const std::uint32_t id = static_cast<std::uint32_t>(slot.count - 1);
      // The earlier token is the more frequent one.
      if (recent.count != 1 || id < recent.ids[0]) recent = {low, high, {id, 0, 0}, 1};
    }
  }
  WordEncoder(const WordEncoder&) = delete;
  WordEncoder& operator=(const WordEncoder&) = delete;

  // What the scanner calls for each word: writes its ids to `out` and moves that on. kInlineIds ids more than the
  // word has bytes must find room there; 16 bytes from the word's begin on must be readable. Words are UTF-8: a
  // key is filled up with what no UTF-8 holds.
  auto adder(std::uint32_t*& out) {
    return [recent = recent_.data(), &out, this](const std::uint8_t* begin, const std::uint8_t* end) {
      const std::size_t length = static_cast<std::size_t>(end - begin);
      if (length > kInlineBytes) {
        out = encode_long(begin, length, out);
        return;
      }
      const std::uint64_t low = load64(begin) | kFilled.of[length].low;
      const std::uint64_t high = load64(begin + 8) | kFilled.of[length].high;
      Recent& slot = recent[slot_of(low, high)];
      if (slot.low == low && slot.high == high) {
        std::memcpy(out, slot.ids, sizeof(slot.ids));  // all of them: no branch on how many there are
        out += slot.count;
        return;
      }
      out = encode_short(begin, length, out, slot, low, high);
    };
  }

  // The ids of any bytes, without a cache.
  void merge(const std::uint8_t* word, std::size_t length, std::vector<std::uint32_t>& ids) {
    merger_.merge(word, length, ids);
    for (std::uint32_t& token : ids) token = vocabulary_.id(token);
  }

  std::uint64_t looked_up() const { return merger_.looked_up(); }

 private:
  struct Recent {
    std::uint64_t low, high;
    std::uint32_t ids[kInlineIds];
    std::uint32_t count;
  };
  static_assert(sizeof(Recent) == 32, "half a cache line: found by a shift");
  static constexpr unsigned kSlotBits = 15;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
  // What is kept of merged words, at most.
  static constexpr std::size_t kMostKept = std::size_t{1} << 18, kLongestKept = 256, kMostKeptIds = kMostKept * 8;

  static std::size_t slot_of(std::uint64_t low, std::uint64_t high) {
    return ((low ^ (high >> 3 | high << 61)) * kSeed1) >> (64 - kSlotBits);
  }

  [[gnu::noinline]] std::uint32_t* encode_short(const std::uint8_t* word, std::size_t length, std::uint32_t* out,
                                                Recent& slot, std::uint64_t low, std::uint64_t high) {
    const std::uint32_t* const end = encode_key(word_key(word, length), word, length, out);
    const std::size_t count = static_cast<std::size_t>(end - out);
    if (count <= kInlineIds) {
      slot = {low, high, {0, 0, 0}, static_cast<std::uint32_t>(count)};
      std::memcpy(slot.ids, out, count * sizeof(*out));
    }
    return out + count;
  }

  [[gnu::noinline]] std::uint32_t* encode_long(const std::uint8_t* word, std::size_t length, std::uint32_t* out) {
    return encode_key(word_key(word, length), word, length, out);
  }

  std::uint32_t* encode_key(const WordKey& key, const std::uint8_t* word, std::size_t length, std::uint32_t* out) {
    if (const std::uint64_t found = vocabulary_.words().count_of(key)) {
      *out = static_cast<std::uint32_t>(found - 1);
      return out + 1;
    }
    if (const std::uint64_t found = kept_.count_of(key)) {
      const std::size_t count = found & 0xFFFF;
      std::memcpy(out, &kept_ids_[found >> 16], count * sizeof(*out));
      return out + count;
    }
    merge(word, length, merged_);
    if (length <= kLongestKept) keep(key);
    std::memcpy(out, merged_.data(), merged_.size() * sizeof(*out));
    return out + merged_.size();
  }

  void keep(const WordKey& key) {
    if (kept_.size() >= kMostKept || kept_ids_.size() + merged_.size() > kMostKeptIds) {
      kept_ = WordTable();
      kept_ids_.clear();
    }
    kept_.add(key, std::uint64_t{kept_ids_.size()} << 16 | merged_.size());
    kept_ids_.insert(kept_ids_.end(), merged_.begin(), merged_.end());
  }

  const Vocabulary& vocabulary_;
  WordMerger merger_;
  Array<Recent> recent_;
  WordTable kept_;  // merged word -> where its ids begin in kept_ids_, and how many there are
  std::vector<std::uint32_t> kept_ids_;
  std::vector<std::uint32_t> merged_;
};

}  // namespace bpe_lab
