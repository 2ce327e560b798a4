// Words -> ids: what was encoded before is looked up, and seldom merged again.
//
// Nearly all words are found in a cache of those of up to 16 bytes, which begins with the words of the vocabulary and
// grows with the text. A word is in its slot or in the other one of the same cache line (the cache is two-way
// associative). Where one of the two is free, the word is new, and is merged. Where others have both, or the word is
// longer, it is looked for among those merged before, then in the vocabulary, and merged last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "word_merger.hpp"
#include "word_table.hpp"

namespace bpe_lab {

// What all threads share, and nobody changes.
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

// What one thread needs to encode words.
class WordEncoder {
 public:
  static constexpr std::size_t kInlineIds = 3;

  explicit WordEncoder(const Vocabulary& vocabulary)
      : vocabulary_(vocabulary), merger_(vocabulary.merges()) {
    unsigned bits = 12;
    while (bits < kMostSlotBits && std::size_t{1} << bits < 8 * vocabulary.words().size()) ++bits;
    set_slots(bits);
    add_vocabulary();
  }
  WordEncoder(const WordEncoder&) = delete;
  WordEncoder& operator=(const WordEncoder&) = delete;

  // Where the ids of the words that follow are written: room for one id per byte, and kInlineIds more.
  void write_to(std::uint32_t* out) {
    if (4 * taken_ > slots() && slot_bits_ < kMostSlotBits) grow_recent();
    out_ = out;
  }

  // What the scanner calls for each word, until the next `write_to`; 16 bytes from its begin on must be readable. Words
  // are UTF-8: a key is filled up with what no UTF-8 holds.
  auto adder() {
    return [recent = recent_.data(), bits = slot_bits_, this](const std::uint8_t* begin, const std::uint8_t* end) {
      const std::size_t length = static_cast<std::size_t>(end - begin);
      if (length > kInlineBytes) {
        const WordKey key = word_key(begin, length);
        kept_.prefetch(key.hash);
        *end_++ = {key, nullptr};
      } else {
        const std::uint64_t low = load64(begin) | kFilled.of[length].low;
        const std::uint64_t high = load64(begin + 8) | kFilled.of[length].high;
        Recent* const slot = recent + slot_of(low, high, bits);
        __builtin_prefetch(slot);
        *end_++ = {{low, high, static_cast<std::uint32_t>(length), 0}, slot};
      }
      if (end_ == waiting_ + kWaiting) drain();
    };
  }

  // Drops the words that came and were not written.
  void forget_waiting() { end_ = waiting_; }

  // Writes the ids of all words that came, and returns where the next one belongs. Long words wait by address: call
  // this before their text goes away.
  [[gnu::noinline]] std::uint32_t* drain() {
    if (recent_misses_ > kManyMisses) prefetch_kept();
    recent_misses_ = 0;
    std::uint32_t* out = out_;
    for (const Waiting* word = waiting_; word < end_; ++word) {
      const Recent* const slot = word->slot;
      if (slot == nullptr) {
        out = encode(word->key, long_word(word->key.low), out);
      } else if (!slot->is(word->key.low, word->key.high)) {
        out = encode_short(*word, out);
      } else if (slot->count <= kInlineIds) {
        std::memcpy(out, slot->ids, sizeof(slot->ids));  // all of them: no branch on how many there are
        out += slot->count;
      } else {
        out = copy(&kept_ids_[slot->ids[0]], slot->count, out);
      }
    }
    end_ = waiting_;
    return out_ = out;
  }

  // Writes an id that is no word's.
  void add_id(std::uint32_t id) {
    drain();
    *out_++ = id;
  }

  // The ids of any bytes, without a cache.
  void merge(const std::uint8_t* word, std::size_t length, std::vector<std::uint32_t>& ids) {
    ids.resize(length);
    ids.resize(static_cast<std::size_t>(merge(word, length, ids.data()) - ids.data()));
  }

  std::uint64_t looked_up() const { return merger_.looked_up(); }

 private:
  struct Recent {
    std::uint64_t low, high;
    std::uint32_t ids[kInlineIds];  // if there are more: where they begin in kept_ids_
    std::uint32_t count;            // 0: free

    bool is(std::uint64_t l, std::uint64_t h) const { return low == l && high == h; }
  };
  static_assert(sizeof(Recent) == 32, "half a cache line: found by a shift");
  // Until the cache line of its slot has come.
  struct Waiting {
    WordKey key;   // of a short word: filled up
    Recent* slot;  // of a long one: none
  };
  static constexpr std::size_t kWaiting = 64, kManyMisses = 4;
  static constexpr unsigned kMostSlotBits = 20;
  // What is kept of words, at most.
  static constexpr std::size_t kMostKept = std::size_t{1} << 18;
  static constexpr std::size_t kMostKeptBytes = std::size_t{1} << 22, kLongestKept = 256;

  std::size_t slots() const { return std::size_t{1} << slot_bits_; }

  static std::size_t slot_of(std::uint64_t low, std::uint64_t high, unsigned bits) {
    return ((low ^ (high >> 3 | high << 61)) * kSeed1) >> (64 - bits);
  }

  // Where a word is, else where it may be put: into a free slot, unless others have both.
  Recent& slot_of(std::uint64_t low, std::uint64_t high) {
    const std::size_t first = slot_of(low, high, slot_bits_);
    Recent &slot = recent_[first], &other = recent_[first ^ 1];  // of one cache line
    if (slot.count == 0 || slot.is(low, high)) return slot;
    return other.count == 0 || other.is(low, high) ? other : slot;
  }

  static WordKey key_of(const Waiting& word) {
    return short_key(word.key.low, word.key.high, word.key.length);
  }

  // Where the last words were not in the cache, the next ones may not be, either.
  void prefetch_kept() {
    for (const Waiting* word = waiting_; word < end_; ++word) {
      if (word->slot != nullptr && !word->slot->is(word->key.low, word->key.high)) {
        kept_.prefetch(key_of(*word).hash);
      }
    }
  }

  std::uint32_t* encode_short(const Waiting& word, std::uint32_t* out) {
    Recent& slot = slot_of(word.key.low, word.key.high);
    if (slot.is(word.key.low, word.key.high)) {
      std::swap(slot, *word.slot);  // where it is found at once
      const Recent& found = *word.slot;
      return copy(found.count <= kInlineIds ? found.ids : &kept_ids_[found.ids[0]], found.count, out);
    }
    ++recent_misses_;
    const WordKey key = key_of(word);
    const std::uint64_t bytes[2] = {key.low, key.high};
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(bytes);
    std::uint32_t* end;
    if (slot.count == 0) {
      // No word that belongs here has come, and none is a token: nowhere else would it be found.
      end = merge(begin, key.length, out);
      if (end > out + kInlineIds) last_kept_ = keep_ids(out, static_cast<std::size_t>(end - out));
    } else {
      end = encode(key, begin, out);
      // Not every rare word pushes a frequent one out: who comes often has the slot soon.
      if (++conflicts_ % 4 != 0) return end;
      if (slot.count != 0) keep_pushed_out(slot);  // else all was forgotten meanwhile
    }
    taken_ += slot.count == 0;
    slot = recent_of(word.key.low, word.key.high, out, static_cast<std::size_t>(end - out), last_kept_);
    return end;
  }

  static Recent recent_of(std::uint64_t low, std::uint64_t high, const std::uint32_t* ids, std::size_t count,
                          std::uint32_t kept_at) {
    Recent recent{low, high, {kept_at, 0, 0}, static_cast<std::uint32_t>(count)};
    if (count <= kInlineIds) std::memcpy(recent.ids, ids, count * sizeof(*ids));
    return recent;
  }

  static std::uint32_t* copy(const std::uint32_t* ids, std::size_t count, std::uint32_t* out) {
    for (std::size_t i = 0; i < count; ++i) out[i] = ids[i];  // few: a call takes longer
    return out + count;
  }

  // Writes the ids of a word that is longer than those of the cache, or whose slot another one has.
  [[gnu::noinline]] std::uint32_t* encode(const WordKey& key, const std::uint8_t* word, std::uint32_t* out) {
    if (const std::uint64_t found = kept_.count_of(key)) {
      last_kept_ = static_cast<std::uint32_t>(found >> 16);
      return copy(&kept_ids_[last_kept_], found & 0xFFFF, out);
    }
    std::uint32_t* end = out;
    if (const std::uint64_t found = vocabulary_.words().count_of(key)) {
      *end++ = static_cast<std::uint32_t>(found - 1);
    } else {
      end = merge(word, key.length, out);
    }
    if (key.length <= kLongestKept) keep(key, out, static_cast<std::size_t>(end - out));
    return end;
  }

  std::uint32_t* merge(const std::uint8_t* word, std::size_t length, std::uint32_t* out) {
    std::uint32_t* const end = out + merger_.merge(word, length, out);
    for (; out < end; ++out) *out = vocabulary_.id(*out);
    return end;
  }

  void keep(const WordKey& key, const std::uint32_t* ids, std::size_t count) {
    if (kept_.size() >= kMostKept || kept_bytes_ >= kMostKeptBytes) {
      kept_ = WordTable();
      kept_ids_.clear();
      kept_bytes_ = 0;
      forget_recent();
    }
    kept_bytes_ += key.length;
    last_kept_ = keep_ids(ids, count);
    kept_.add(key, std::uint64_t{last_kept_} << 16 | count);
  }

  // A word is kept when it leaves the cache, if it was found nowhere else.
  void keep_pushed_out(const Recent& slot) {
    const WordKey key = key_of_filled(slot.low, slot.high);
    if (kept_.count_of(key) != 0 || vocabulary_.words().count_of(key) != 0) return;
    const std::uint32_t begin = slot.count <= kInlineIds ? keep_ids(slot.ids, slot.count) : slot.ids[0];
    kept_.add(key, std::uint64_t{begin} << 16 | slot.count);
    kept_bytes_ += key.length;
  }

  std::uint32_t keep_ids(const std::uint32_t* ids, std::size_t count) {
    const std::size_t begin = kept_ids_.size();
    kept_ids_.insert(kept_ids_.end(), ids, ids + count);
    return static_cast<std::uint32_t>(begin);
  }

  // All of them but the vocabulary's. The slots stay where they are: words may wait for them.
  void forget_recent() {
    std::memset(recent_.data(), 0, slots() * sizeof(Recent));
    no_word_of_zeros();
    taken_ = 0;
    add_vocabulary();
  }

  // Makes new slots, all of them free, and returns the old ones.
  Array<Recent> set_slots(unsigned bits) {
    Array<Recent> old = std::exchange(recent_, Array<Recent>::zeroed(std::size_t{1} << bits));
    no_word_of_zeros();
    slot_bits_ = bits;
    return old;
  }

  // A free slot looks like the word of 16 zeros, which belongs into the first two: there it must not.
  void no_word_of_zeros() { recent_[0].low = recent_[1].low = ~std::uint64_t{0}; }

  // Where one of two slots is free, no word that belongs there has come but what is in the other, nor is it a token.
  void add_vocabulary() {
    for_short_words(vocabulary_.words(), [this](std::uint64_t low, std::uint64_t high, std::uint64_t id_and_1) {
      Recent& slot = slot_of(low, high);
      const auto id = static_cast<std::uint32_t>(id_and_1 - 1);
      taken_ += slot.count == 0;
      // The earlier token is the more frequent one.
      if (slot.count == 0 || (slot.count == 1 && id < slot.ids[0])) slot = {low, high, {id, 0, 0}, 1};
    });
  }

  // Seldom, and then by much: it takes as long as some ten thousand new words.
  void grow_recent() {
    const std::size_t before = slots();
    const Array<Recent> old = set_slots(std::min(slot_bits_ + 2, kMostSlotBits));
    for (std::size_t i = 0; i < before; ++i) {
      // Those of different lines belong into different ones now, too: there is room for all.
      if (old[i].count != 0) slot_of(old[i].low, old[i].high) = old[i];
    }
    add_vocabulary();
    for_short_words(kept_, [this](std::uint64_t low, std::uint64_t high, std::uint64_t kept) {
      Recent& slot = slot_of(low, high);
      if (slot.count != 0) return;
      ++taken_;
      const auto at = static_cast<std::uint32_t>(kept >> 16);
      slot = recent_of(low, high, &kept_ids_[at], kept & 0xFFFF, at);
    });
  }

  // Calls what(low, high, value) for each word that has a place in a slot, filled up.
  template <class What>
  static void for_short_words(const WordTable& words, What what) {
    for (const WordSlot* word = words.next(nullptr); word != nullptr; word = words.next(word)) {
      if (word->length > kInlineBytes) continue;
      if (word_bytes(*word)[word->length - 1] == 0xFF) continue;  // no word of a text; filled up it looks like one
      what(word->low, word->high, word->count);
    }
  }

  const Vocabulary& vocabulary_;
  WordMerger merger_;
  unsigned slot_bits_ = 0;
  Array<Recent> recent_;
  std::size_t taken_ = 0;  // slots
  WordTable kept_;  // merged word -> where its ids begin in kept_ids_, and how many there are
  std::vector<std::uint32_t> kept_ids_;
  std::size_t kept_bytes_ = 0;  // of the words
  std::uint32_t last_kept_ = 0;  // where those of the last word begin in kept_ids_
  Waiting waiting_[kWaiting];
  Waiting* end_ = waiting_;
  std::size_t recent_misses_ = 0;  // in the cache, of the words that waited last
  std::size_t conflicts_ = 0;      // words whose slot another one had
  std::uint32_t* out_ = nullptr;
};

}  // namespace bpe_lab
