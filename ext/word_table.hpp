// Word -> count: open addressing with 32-byte slots. Words of up to 16 bytes live inside their slot
// and are compared as two integers; longer ones point into an arena.
//
// A short word is filled up to 16 bytes with a byte that is in no UTF-8, so that a word of a text tells its own length.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "arrays.hpp"

namespace bpe_lab {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte of a word is the lowest of an integer");

struct WordKey {
  std::uint64_t low, high;  // the bytes, filled up; of a long word: address, and hash of all of it
  std::uint32_t length;     // bytes; 0xFFFFFFFF at most
  std::uint32_t hash;
};

struct WordSlot {
  std::uint64_t low, high;
  std::uint64_t count;
  std::uint32_t length;  // 0: free
  std::uint32_t hash;
};
static_assert(sizeof(WordSlot) == 32, "half a cache line");

inline constexpr std::uint32_t kInlineBytes = 16;

inline std::uint64_t load64(const std::uint8_t* p) {
  std::uint64_t x;
  std::memcpy(&x, p, 8);
  return x;
}

#if !defined(BPE_LAB_HASH_BITS)
#define BPE_LAB_HASH_BITS ~std::uint64_t{0}  // tests/bad_hash.cpp leaves few of them
#endif

// Multiplies to 128 bits and folds: every input bit reaches every output bit.
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return (static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64)) & BPE_LAB_HASH_BITS;
}

inline constexpr std::uint64_t kSeed1 = 0x9E3779B97F4A7C15u, kSeed2 = 0xD6E8FEB86659FD93u;

// Of 16 bytes or more: the last 16 overlap those before, so that no byte behind them is read.
inline std::uint64_t hash_bytes(const std::uint8_t* p, std::size_t length) {
  const std::uint8_t* const last = p + length - 16;
  std::uint64_t h = length * kSeed1;
  for (; p < last; p += 16) h = mix(load64(p) ^ kSeed1 ^ h, load64(p + 8) ^ kSeed2);
  return mix(load64(last) ^ kSeed1 ^ h, load64(last + 8) ^ kSeed2);
}

// Of 16 bytes or more; a call of memcmp takes longer than most words do.
inline bool same_bytes(const std::uint8_t* a, const std::uint8_t* b, std::size_t length) {
  const auto differ = [a, b](std::size_t at) {
    return (load64(a + at) ^ load64(b + at)) | (load64(a + at + 8) ^ load64(b + at + 8));
  };
  for (std::size_t at = 0; at + 16 < length; at += 16) {
    if (differ(at) != 0) return false;
  }
  return differ(length - 16) == 0;
}

// What a 16-byte load is or-ed with to be a filled-up word, by a look-up: a branch on the length of a word is one that no
// processor can foresee.
inline constexpr struct Filled {
  struct alignas(16) Mask {
    std::uint64_t low = 0, high = 0;
  } of[kInlineBytes + 1];
  constexpr Filled() {
    for (unsigned length = 0; length < kInlineBytes; ++length) {
      of[length].low = length < 8 ? ~std::uint64_t{0} << (8 * length) : 0;
      of[length].high = ~std::uint64_t{0} << (length < 8 ? 0 : 8 * (length - 8));
    }
  }
} kFilled;

inline WordKey short_key(std::uint64_t low, std::uint64_t high, std::size_t length) {
  const std::uint64_t h = mix(low ^ kSeed1, high ^ kSeed2);
  return {low, high, static_cast<std::uint32_t>(length), static_cast<std::uint32_t>(h)};
}

// Of a word of a text: it has no byte that fills it up.
inline WordKey key_of_filled(std::uint64_t low, std::uint64_t high) {
  const std::uint64_t in_low = -std::uint64_t{high == ~std::uint64_t{0}};  // all ones, if all of it is there
  const std::uint64_t last = ~high | (~low & in_low);  // not 0 where the word has bytes
  return short_key(low, high, 16 - (8 & in_low) - static_cast<unsigned>(__builtin_clzll(last)) / 8);
}

// The key of a word; 16 bytes from p on must be readable.
inline WordKey word_key(const std::uint8_t* p, std::size_t length) {
  if (length <= kInlineBytes) {
    return short_key(load64(p) | kFilled.of[length].low, load64(p + 8) | kFilled.of[length].high, length);
  }
  if (length > 0xFFFFFFFFu) throw std::length_error("a word has 4 GB or more: cut the text");
  const std::uint64_t h = hash_bytes(p, length);
  return {reinterpret_cast<std::uintptr_t>(p), h, static_cast<std::uint32_t>(length),
          static_cast<std::uint32_t>(h >> 7)};
}

// The same for bytes that end where their memory does.
inline WordKey padded_key(const std::uint8_t* word, std::size_t length) {
  if (length > kInlineBytes) return word_key(word, length);
  std::uint8_t padded[kInlineBytes] = {};
  std::memcpy(padded, word, length);
  return word_key(padded, length);
}

inline const std::uint8_t* long_word(std::uint64_t low) {
  return reinterpret_cast<const std::uint8_t*>(static_cast<std::uintptr_t>(low));
}

inline const std::uint8_t* word_bytes(const WordSlot& slot) {
  return slot.length <= kInlineBytes ? reinterpret_cast<const std::uint8_t*>(&slot.low) : long_word(slot.low);
}

// A short word, filled up, that was seen so many times.
struct SeenWord {
  std::uint64_t low, high, count;
};

// Slots for many tables, cut from few pieces of memory: also tables that are smaller than a large page lie in one. What
// a table leaves when it grows is not used again; that is less than what it has then.
class SlotPool {
 public:
  WordSlot* take(std::size_t size) {
    WordSlot* const slots = take_as_they_are(size);
    std::memset(slots, 0, size * sizeof(WordSlot));  // touches new pages, and others may take theirs meanwhile
    return slots;
  }

 private:
  WordSlot* take_as_they_are(std::size_t size) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return slots_.take(size);
  }

  std::mutex mutex_;
  Arena<WordSlot> slots_;
};

class WordTable {
 public:
  // Asks for memory when the first word comes.
  WordTable() = default;
  // Of parts that are all as full there are many: three of four slots may be taken.
  explicit WordTable(SlotPool& pool) : pool_(&pool) {}
  WordTable(const WordTable&) = delete;
  WordTable& operator=(const WordTable&) = delete;
  WordTable(WordTable&& other) noexcept { swap(other); }
  WordTable& operator=(WordTable&& other) noexcept {
    swap(other);
    return *this;
  }

  std::size_t size() const { return size_; }

  // The word behind a slot, in no order: the first one behind nullptr, and nullptr at the end.
  const WordSlot* next(const WordSlot* slot) const {
    const WordSlot* const end = slots_ + mask_ + 1;
    for (slot = slot == nullptr ? slots_ : slot + 1; slot < end; ++slot) {
      if (slot->length != 0) return slot;
    }
    return nullptr;
  }

  void prefetch(std::uint32_t hash) const { __builtin_prefetch(&slots_[hash & mask_], 1); }

  // What throws leaves the words as they were. `stays`: a long word's bytes outlive the table (they are
  // in an arena that it will take).
  void add(const WordKey& key, std::uint64_t count, bool stays = false) {
    std::size_t number = key.hash & mask_;
    for (;; number = (number + 1) & mask_) {
      WordSlot& slot = slots_[number];
      if (is_word(slot, key)) {
        slot.count += count;
        return;
      }
      if (slot.length == 0) break;
    }
    std::uint64_t low = key.low;
    if (key.length > kInlineBytes && !stays) {
      std::uint8_t* const kept = arena_.take(key.length);
      std::memcpy(kept, long_word(key.low), key.length);
      low = reinterpret_cast<std::uintptr_t>(kept);
    }
    if (pool_ == nullptr ? 2 * (size_ + 1) > mask_ + 1 : 4 * (size_ + 1) > 3 * (mask_ + 1)) {
      grow();
      number = free_slot(key.hash);
    }
    slots_[number] = {low, key.high, count, key.length, key.hash};
    ++size_;
  }

  std::uint64_t count_of(const WordKey& key) const {
    for (std::size_t number = key.hash & mask_; slots_[number].length != 0;
         number = (number + 1) & mask_) {
      if (is_word(slots_[number], key)) return slots_[number].count;
    }
    return 0;
  }

  // Adds many short words of texts. Nearly all are in the first slot where they may be, so first these are added,
  // without a branch for each; `words` is changed.
  void add(SeenWord* words, std::size_t size) {
    constexpr std::size_t kAhead = 16;
    if (slots_ == &free_) grow();  // a slot is written to, and that one is of all tables
    std::size_t others = 0;
    for (std::size_t i = 0; i < size; ++i) {
      if (i + kAhead < size) prefetch(short_key(words[i + kAhead].low, words[i + kAhead].high, 0).hash);
      const SeenWord word = words[i];
      const WordKey key = key_of_filled(word.low, word.high);
      WordSlot& slot = slots_[key.hash & mask_];
      const std::uint64_t known = (slot.low == key.low) & (slot.high == key.high) & (slot.length == key.length);
      slot.count += word.count & -known;
      words[others] = word;
      others += known ^ 1;
    }
    for (std::size_t i = 0; i < others; ++i) add(key_of_filled(words[i].low, words[i].high), words[i].count);
  }

  // Adds all words of another table and leaves that one empty.
  void take(WordTable&& other) {
    if (other.size_ > size_) swap(other);
    arena_.adopt(std::move(other.arena_));
    constexpr std::size_t kAhead = 16;
    for (std::size_t i = 0; i <= other.mask_; ++i) {
      if (i + kAhead <= other.mask_) prefetch(other.slots_[i + kAhead].hash);
      const WordSlot& slot = other.slots_[i];
      if (slot.length != 0) add({slot.low, slot.high, slot.length, slot.hash}, slot.count, true);
    }
    other = WordTable();
  }

 private:
  static constexpr std::size_t kFirstSlots = 1 << 6;
  static inline WordSlot free_{};  // the slot of a table without words

  static bool is_word(const WordSlot& slot, const WordKey& key) {
    if (slot.length != key.length || slot.high != key.high) return false;
    if (slot.low == key.low) return true;
    return key.length > kInlineBytes && same_bytes(long_word(slot.low), long_word(key.low), key.length);
  }

  // Returns the memory that the slots were in: they are there until it goes.
  Array<WordSlot> allocate(std::size_t slots) {
    Array<WordSlot> before;
    if (pool_ == nullptr) {
      before = Array<WordSlot>::zeroed(slots);
      std::swap(before, memory_);
      slots_ = memory_.data();
    } else {
      slots_ = pool_->take(slots);
    }
    mask_ = slots - 1;
    return before;
  }

  std::size_t free_slot(std::uint32_t hash) const {
    std::size_t number = hash & mask_;
    while (slots_[number].length != 0) number = (number + 1) & mask_;
    return number;
  }

  void grow() {
    const WordSlot* const old = slots_;
    const std::size_t old_slots = mask_ + 1;
    const Array<WordSlot> memory = allocate(old == &free_ ? kFirstSlots : old_slots * 2);
    // Half of the slots are taken, in no order that could be foreseen: which ones is written down first.
    std::uint8_t taken[64];
    const std::size_t at_once = std::min(old_slots, sizeof(taken));
    for (std::size_t begin = 0; begin < old_slots; begin += at_once) {
      std::size_t n = 0;
      for (std::size_t i = 0; i < at_once; ++i) {
        taken[n] = static_cast<std::uint8_t>(i);
        n += old[begin + i].length != 0;
      }
      for (std::size_t i = 0; i < n; ++i) {
        const WordSlot& slot = old[begin + taken[i]];
        slots_[free_slot(slot.hash)] = slot;
      }
    }
  }

  void swap(WordTable& other) {
    std::swap(arena_, other.arena_);
    std::swap(memory_, other.memory_);
    std::swap(pool_, other.pool_);
    std::swap(slots_, other.slots_);
    std::swap(mask_, other.mask_);
    std::swap(size_, other.size_);
  }

  Arena<std::uint8_t> arena_;  // long words
  Array<WordSlot> memory_;     // of the slots, if they are not from a pool
  SlotPool* pool_ = nullptr;
  WordSlot* slots_ = &free_;
  std::size_t mask_ = 0, size_ = 0;
};

}  // namespace bpe_lab
