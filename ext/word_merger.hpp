// One word -> tokens, by merges in the order of their ranks.
//
// Inside, ids are 0..255 for the bytes and 256 + rank for what a merge makes: the smaller id is the earlier
// merge, and a token is made of smaller ones only.
//
// Short words: look for the earliest merge, make it, look again. In a long one every look would cost as much as
// the word is long; there, each merge has a list of the positions where it may stand, as in the training: every
// position is written into a list when its pair comes about, at most three times per byte, and read once. So a
// word costs what it is long, whatever stands in it and whatever the merges are. It needs 4 bytes of memory per
// byte and at most 24 for the lists, until it is merged.
//
// (Another linear way, which needs the tokens to be unambiguous: Aho-Corasick and a test of neighbours,
// Hendrik van Antwerpen and Alexander Neubeck, "So many tokens, so little time", GitHub, 2024.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <queue>
#include <stdexcept>
#include <utility>
#include <vector>

#include "maps.hpp"
#include "stage.hpp"

namespace bpe_lab {

inline constexpr std::uint32_t kNoToken = ~std::uint32_t{0};
inline constexpr std::uint32_t kBytes = 256;

// Which pairs are joined, and into what.
class MergeTable {
 public:
  // Ids as above; each merge joins what is there before it.
  explicit MergeTable(const std::vector<Pair>& merges)
      : merges_(merges), length_(kBytes, 1), of_bytes_(kBytes * kBytes, kNoToken) {
    while (std::size_t{1} << bits_ < 16 * merges.size()) ++bits_;
    may_be_.resize(std::size_t{1} << (bits_ - 6));
    for (const Pair pair : merges_) {
      const std::uint32_t token = static_cast<std::uint32_t>(length_.size());
      if (left_of(pair) >= token || right_of(pair) >= token) {
        throw std::invalid_argument("a merge of what is not made yet");
      }
      length_.push_back(length_[left_of(pair)] + length_[right_of(pair)]);
      if (tokens_.find(pair) != nullptr) throw std::invalid_argument("a merge twice");
      tokens_[pair] = token;
      may_be_[bit_of(pair) / 64] |= std::uint64_t{1} << bit_of(pair) % 64;
      if (left_of(pair) < kBytes && right_of(pair) < kBytes) of_bytes_[left_of(pair) << 8 | right_of(pair)] = token;
    }
  }

  std::size_t size() const { return merges_.size(); }
  Pair pair(std::uint32_t token) const { return merges_[token - kBytes]; }
  std::uint32_t length(std::uint32_t token) const { return length_[token]; }

  std::uint32_t token_of_bytes(std::uint8_t left, std::uint8_t right) const { return of_bytes_[left << 8 | right]; }

  std::uint32_t token_of(std::uint32_t left, std::uint32_t right) const {
    const Pair pair = pair_of(left, right);
    if ((may_be_[bit_of(pair) / 64] >> bit_of(pair) % 64 & 1) == 0) return kNoToken;
    const std::uint32_t* const token = tokens_.find(pair);
    return token == nullptr ? kNoToken : *token;
  }

 private:
  std::size_t bit_of(Pair pair) const { return static_cast<std::size_t>(pair * 0x9E3779B97F4A7C15u >> (64 - bits_)); }

  std::vector<Pair> merges_;
  std::vector<std::uint32_t> length_;  // of each token, in bytes
  std::vector<std::uint32_t> of_bytes_;  // what two bytes make: where every word begins
  FlatMap<std::uint32_t> tokens_;
  // Most pairs of a word are no merge: a bit for each, of which one in sixteen is set, is nearer than the map.
  std::vector<std::uint64_t> may_be_;
  unsigned bits_ = 6;
};

// What one thread needs to merge words.
class WordMerger {
 public:
  static constexpr std::size_t kShort = 62;  // bytes: a bit for each in 64, and one before and behind them

  explicit WordMerger(const MergeTable& table)
      : table_(table), max_short_(table.size() + kBytes < kNoMerge ? kShort : 0) {}

  // Writes the tokens of a word, at most one per byte, and returns how many there are.
  std::size_t merge(const std::uint8_t* word, std::size_t length, std::uint32_t* tokens) {
    if (length <= max_short_) return merge_short(word, length, tokens);
    if (length >= kNoToken) throw std::length_error("a word has 4 GB or more: cut the text");
    std::copy(word, word + length, tokens);
    return merge_long(tokens, length);
  }

  // The same of bytes that are there as tokens already.
  void merge(std::vector<std::uint32_t>& tokens) {
    std::uint32_t* const word = tokens.data();
    const std::size_t size = tokens.size();
    tokens.resize(size <= max_short_ ? merge_short(word, size, word) : merge_long(word, size));
  }

  // How many pairs were looked up so far: the work, as a number that is the same on every machine.
  std::uint64_t looked_up() const { return looked_up_; }

 private:
  // Of a pair: what it makes, or kNoMerge, and in the low bits where it stands. The smallest key is the next merge.
  using Key = std::int32_t;
  static constexpr unsigned kPlaceBits = 6;
  static constexpr std::uint32_t kNoMerge = ~std::uint32_t{0} >> (kPlaceBits + 1);
  static constexpr Key kNoPair = ~std::uint32_t{0} >> 1;

  static constexpr Key key_of(std::uint32_t token, unsigned at) {
    return static_cast<Key>((token & kNoMerge) << kPlaceBits | at);
  }

  // Four at once and without a branch for each, which no processor could foresee.
  using FourKeys = Key __attribute__((vector_size(16)));
  static constexpr unsigned kBlock = 16;  // keys

  static Key smallest(const FourKeys* keys, unsigned n_keys) {
    FourKeys found = smaller(smaller(keys[0], keys[1]), smaller(keys[2], keys[3]));
    for (const FourKeys* const end = keys + n_keys / 4; (keys += 4) < end;) {
      found = smaller(found, smaller(smaller(keys[0], keys[1]), smaller(keys[2], keys[3])));
    }
    return std::min(std::min(found[0], found[1]), std::min(found[2], found[3]));
  }
  static FourKeys smaller(FourKeys a, FourKeys b) { return a < b ? a : b; }

  // A token stands in the cell of its first byte and has a bit there, by which its neighbours find it. The word begins
  // in cell 1: before and behind it are cells of what joins nothing.
  template <class Byte>
  std::size_t merge_short(const Byte* word, std::size_t length, std::uint32_t* tokens) {
    const unsigned size = static_cast<unsigned>(length), n_keys = (size + kBlock - 1) / kBlock * kBlock;
    std::uint32_t cells[kShort + 2];
    union {
      Key of[64];  // the token in a cell and the next one
      FourKeys four[16];
    } keys;
    std::fill(keys.of, keys.of + kBlock, kNoPair);
    for (unsigned i = kBlock; i < n_keys; i += kBlock) std::fill(keys.of + i, keys.of + i + kBlock, kNoPair);
    Key first = kNoPair;
    for (unsigned i = 0; i < size; ++i) {
      cells[i + 1] = word[i];
      if (i == 0) continue;
      const auto left = static_cast<std::uint8_t>(word[i - 1]), right = static_cast<std::uint8_t>(word[i]);
      keys.of[i] = key_of(table_.token_of_bytes(left, right), i);
      first = std::min(first, keys.of[i]);
    }
    cells[0] = cells[size + 1] = kNoToken;
    std::uint64_t looked_up = size;
    std::uint64_t starts = (std::uint64_t{4} << size) - 1;
    while (first < key_of(kNoMerge, 0)) {
      const std::uint32_t token = static_cast<std::uint32_t>(first) >> kPlaceBits;
      const unsigned at = static_cast<unsigned>(first) % 64;
      const std::uint64_t from = starts & ~std::uint64_t{0} << at;
      const std::uint64_t after = from & (from - 1), beyond = after & (after - 1);
      const unsigned before = 63 - static_cast<unsigned>(__builtin_clzll(starts ^ from));
      const unsigned joined = static_cast<unsigned>(__builtin_ctzll(after));
      const unsigned next = static_cast<unsigned>(__builtin_ctzll(beyond));
      starts ^= after ^ beyond;
      cells[at] = token;
      // The smallest of the others is found while the new pairs are still looked up.
      keys.of[before] = keys.of[at] = keys.of[joined] = kNoPair;
      const Key others = smallest(keys.four, n_keys);
      const Key left = key_of(table_.token_of(cells[before], token), before);
      const Key right = key_of(table_.token_of(token, cells[next]), at);
      keys.of[before] = left;
      keys.of[at] = right;
      first = std::min(others, std::min(left, right));
      looked_up += (before > 0) + (next <= size);
    }
    looked_up_ += looked_up;
    std::size_t count = 0;
    for (starts &= (std::uint64_t{2} << size) - 2; starts != 0; starts &= starts - 1) {
      tokens[count++] = cells[__builtin_ctzll(starts)];
    }
    return count;
  }

  // A token's id is in its first and in its last cell, so that both neighbours of a token are found from it.
  //
  // The positions of a merge ascend, so that of `a a a` the first two are joined: all of them are noted while the
  // later one of its two tokens is made, and that is done at positions that ascend.
  std::size_t merge_long(std::uint32_t* cells, std::size_t length) {
    positions_.resize(table_.size());
    for (std::size_t at = 0; at + 1 < length; ++at) note(at, cells[at], cells[at + 1]);
    while (!next_.empty()) {
      const std::uint32_t token = next_.top();
      next_.pop();
      // Taken out: its memory is free again when the merge is done.
      const std::vector<std::uint32_t> positions = std::exchange(positions_[token - kBytes], {});
      for (const std::uint32_t at : positions) merge_at(cells, length, at, token);
    }
    std::size_t size = 0;
    for (std::size_t at = 0; at < length;) {
      const std::uint32_t token = cells[at];
      at += table_.length(token);
      cells[size++] = token;
    }
    return size;
  }

  // The pair whose left token begins at `at` is there from now on.
  void note(std::size_t at, std::uint32_t left, std::uint32_t right) {
    ++looked_up_;
    const std::uint32_t token = table_.token_of(left, right);
    if (token == kNoToken) return;
    std::vector<std::uint32_t>& positions = positions_[token - kBytes];
    if (positions.empty()) next_.push(token);
    positions.push_back(static_cast<std::uint32_t>(at));
  }

  void merge_at(std::uint32_t* cells, std::size_t length, std::size_t at, std::uint32_t token) {
    const std::uint32_t left = left_of(table_.pair(token)), right = right_of(table_.pair(token));
    const std::size_t middle = at + table_.length(left), end = at + table_.length(token);
    // A token that begins here is the left one, unless it has become part of another.
    if (cells[at] != left || end > length || cells[middle] != right) return;
    cells[middle - 1] = cells[middle] = kNoToken;
    cells[at] = cells[end - 1] = token;
    if (at > 0) note(at - table_.length(cells[at - 1]), cells[at - 1], token);
    if (end < length) note(at, token, cells[end]);
  }

  const MergeTable& table_;
  const std::size_t max_short_;  // bytes
  // By merge: where it may stand. Only lists of the word in work have positions.
  std::vector<std::vector<std::uint32_t>> positions_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> next_;  // with positions
  std::uint64_t looked_up_ = 0;
};

}  // namespace bpe_lab
