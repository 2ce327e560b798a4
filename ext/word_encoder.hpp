// Words -> ids: what was encoded before is looked up, and seldom merged again.
//
// Nearly all words are found in a cache (encoder_caches.hpp), which begins with those that are never merged and grows
// with the text. Where one of the two slots of a word is free, the word is new, and is merged. Where others have both, or the
// word is longer than 16 bytes, it is looked for among those merged before, then among those that are never, and merged last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "encoder_caches.hpp"
#include "encoder_vocabulary.hpp"
#include "word_merger.hpp"
#include "word_table.hpp"

namespace bpe_lab {

// What one thread needs to encode words.
class WordEncoder {
 public:
  static constexpr std::size_t kInlineIds = IdCache::kInlineIds;

  explicit WordEncoder(const Vocabulary& vocabulary)
      : vocabulary_(vocabulary), merger_(vocabulary.merges()), cache_(vocabulary.size()) {
    fill_cache();
  }
  WordEncoder(const WordEncoder&) = delete;
  WordEncoder& operator=(const WordEncoder&) = delete;

  // Where the ids of the words that follow are written: room for one id per byte, and kInlineIds more.
  void write_to(std::uint32_t* out) {
    if (cache_.wants_to_grow()) {
      cache_.grow();
      fill_cache();
    }
    out_ = out;
  }

  // What the scanner calls for each word, until the next `write_to`; 16 bytes from its begin on must be readable.
  auto adder() {
    return [slots = cache_.slots(), bits = cache_.bits(), this](const std::uint8_t* begin, const std::uint8_t* end) {
      const std::size_t length = static_cast<std::size_t>(end - begin);
      if (length > kInlineBytes) {
        const WordKey key = word_key(begin, length);
        merged_.prefetch(key.hash);
        *end_++ = {key, nullptr};
      } else {
        const std::uint64_t low = load64(begin) | kFilled.of[length].low;
        const std::uint64_t high = load64(begin + 8) | kFilled.of[length].high;
        IdCache::Slot* const slot = slots + IdCache::first_slot(low, high, bits);
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
    if (misses_ > kManyMisses) prefetch_merged();
    misses_ = 0;
    std::uint32_t* out = out_;
    for (const Waiting* word = waiting_; word < end_; ++word) {
      const IdCache::Slot* const slot = word->slot;
      if (slot == nullptr) {
        out = encode(word->key, long_word(word->key.low), out);
      } else if (!slot->is(word->key.low, word->key.high)) {
        out = encode_short(*word, out);
      } else if (slot->count <= kInlineIds) {
        std::memcpy(out, slot->ids, sizeof(slot->ids));  // all of them: no branch on how many there are
        out += slot->count;
      } else {
        out = copy(merged_.ids(slot->ids[0]), slot->count, out);
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
  // Until the cache line of its slot has come.
  struct Waiting {
    WordKey key;          // of a short word: filled up
    IdCache::Slot* slot;  // of a long one: none
  };
  static constexpr std::size_t kWaiting = 64, kManyMisses = 4;

  static WordKey key_of(const Waiting& word) {
    return short_key(word.key.low, word.key.high, word.key.length);
  }

  // Where the last words were not in the cache, the next ones may not be, either.
  void prefetch_merged() {
    for (const Waiting* word = waiting_; word < end_; ++word) {
      if (word->slot != nullptr && !word->slot->is(word->key.low, word->key.high)) {
        merged_.prefetch(key_of(*word).hash);
      }
    }
  }

  [[gnu::noinline]] std::uint32_t* encode_short(const Waiting& word, std::uint32_t* out) {
    const std::uint64_t low = word.key.low, high = word.key.high;
    IdCache::Slot& slot = cache_.find(low, high);
    if (slot.is(low, high)) {
      std::swap(slot, *word.slot);  // where it is found at once
      const IdCache::Slot& first = *word.slot;
      return copy(first.count <= kInlineIds ? first.ids : merged_.ids(first.ids[0]), first.count, out);
    }
    ++misses_;
    const WordKey key = key_of(word);
    const std::uint64_t bytes[2] = {low, high};
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(bytes);
    std::uint32_t *end, many = 0;
    if (slot.count == 0) {
      // No word that belongs here has come, nor one that is never merged: nowhere else would it be found.
      end = merge(begin, key.length, out);
      if (end > out + kInlineIds) many = merged_.add_ids(out, static_cast<std::size_t>(end - out));
    } else {
      end = encode(key, begin, out);
      // Not every rare word pushes a frequent one out: who comes often has the slot soon.
      if (++conflicts_ % 4 != 0) return end;
      if (slot.count != 0) keep_pushed_out(slot);  // else all was forgotten meanwhile
      if (end > out + kInlineIds) many = merged_.find(key).begin;
    }
    cache_.put(slot, low, high, out, static_cast<std::size_t>(end - out), many);
    return end;
  }

  static std::uint32_t* copy(const std::uint32_t* ids, std::size_t count, std::uint32_t* out) {
    for (std::size_t i = 0; i < count; ++i) out[i] = ids[i];  // few: a call takes longer
    return out + count;
  }

  // Writes the ids of a word that is longer than those of the cache, or whose slots others have.
  [[gnu::noinline]] std::uint32_t* encode(const WordKey& key, const std::uint8_t* word, std::uint32_t* out) {
    if (const auto [begin, count] = merged_.find(key); count != 0) return copy(merged_.ids(begin), count, out);
    std::uint32_t* end = out;
    if (const std::uint64_t id_and_1 = vocabulary_.words().count_of(key)) {
      *end++ = static_cast<std::uint32_t>(id_and_1 - 1);
    } else {
      end = merge(word, key.length, out);
    }
    if (key.length > MergedWords::kMaxLength) return end;
    if (merged_.full()) {
      merged_.clear();
      cache_.clear();
      fill_cache();
    }
    keep(key, out, static_cast<std::uint32_t>(end - out));
    return end;
  }

  std::uint32_t* merge(const std::uint8_t* word, std::size_t length, std::uint32_t* out) {
    std::uint32_t* const end = out + merger_.merge(word, length, out);
    for (; out < end; ++out) *out = vocabulary_.id(*out);
    return end;
  }

  void keep(const WordKey& key, const std::uint32_t* ids, std::uint32_t count) {
    merged_.add(key, {merged_.add_ids(ids, count), count});
  }

  // A word is kept when it leaves the cache, if it was found nowhere else.
  void keep_pushed_out(const IdCache::Slot& slot) {
    const WordKey key = key_of_filled(slot.low, slot.high);
    if (merged_.find(key).count != 0 || vocabulary_.words().count_of(key) != 0) return;
    if (slot.count <= kInlineIds) return keep(key, slot.ids, slot.count);
    merged_.add(key, {slot.ids[0], slot.count});
  }

  // Puts into the cache what is known: words that are never merged, then those merged before. Where one of two slots is
  // free, no word that belongs there has come but what is in the other, nor is one known.
  void fill_cache() {
    each_short_word(vocabulary_.words(), [this](std::uint64_t low, std::uint64_t high, std::uint64_t id_and_1) {
      IdCache::Slot& slot = cache_.find(low, high);
      const auto id = static_cast<std::uint32_t>(id_and_1 - 1);
      // The earlier token is the more frequent one.
      if (slot.count == 0 || (slot.count == 1 && id < slot.ids[0])) cache_.put(slot, low, high, &id, 1, 0);
    });
    each_short_word(merged_.words(), [this](std::uint64_t low, std::uint64_t high, std::uint64_t packed) {
      IdCache::Slot& slot = cache_.find(low, high);
      const auto [begin, count] = MergedWords::unpacked(packed);
      if (slot.count == 0) cache_.put(slot, low, high, merged_.ids(begin), count, begin);
    });
  }

  // Calls visit(low, high, value) for each word that has a place in a slot, filled up.
  template <class Visit>
  static void each_short_word(const WordTable& words, Visit&& visit) {
    for (const WordSlot* word = words.next(nullptr); word != nullptr; word = words.next(word)) {
      if (word->length > kInlineBytes) continue;
      if (word_bytes(*word)[word->length - 1] == 0xFF) continue;  // no word of a text; filled up it looks like one
      visit(word->low, word->high, word->count);
    }
  }

  const Vocabulary& vocabulary_;
  WordMerger merger_;
  IdCache cache_;
  MergedWords merged_;
  Waiting waiting_[kWaiting];
  Waiting* end_ = waiting_;
  std::size_t misses_ = 0;     // in the cache, of the words that waited last
  std::size_t conflicts_ = 0;  // words whose slots others had
  std::uint32_t* out_ = nullptr;
};

}  // namespace bpe_lab
