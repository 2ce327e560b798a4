// What the suite `limit` measures in arrays of any size: how fast this machine could merge pairs, if it did nothing but
// the part of the work that cannot be left out. (Counting a text: counting_ways.hpp.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "experiments/stopwatch.hpp"
#include "flat_words.hpp"
#include "merge_pass.hpp"
#include "stage.hpp"
#include "vocab.hpp"
#include "word_table.hpp"

namespace bpe_lab {

// Numbers that look random, one after the other.
class Draws {
 public:
  std::uint64_t below(std::uint64_t bound) const { return (state_ >> 32) * bound >> 32; }
  std::uint64_t bits() const { return state_ >> 8; }
  void next() { state_ = state_ * 6364136223846793005u + 1; }  // Knuth's MMIX

 private:
  std::uint64_t state_ = kSeed1;
};

// Cells of the array of tokens that are read and written at the places of a list, as a merge does.

// kWaits: in no order, and the next place is known when the cell of the last one has come. kOverlaps: in no order, and
// all places are known. kAscends: as the list of a pair has them. kFetched: and asked for in advance, as the pass of a
// merge does.
enum class Touch { kWaits, kOverlaps, kAscends, kFetched };

struct Touched {
  double seconds = 0;
  std::uint64_t places = 0;
  std::uint64_t checksum = 0;  // which cells were touched an odd number of times
};

using ShortId = FlatWordsOfShortIds::Id;
inline constexpr std::size_t kPlacesAhead = static_cast<std::size_t>(MergePass<std::uint32_t>::kAhead);

// Places that ascend by `gap` cells in the mean, through the whole array again and again. Behind them some more,
// to be fetched.
inline std::vector<std::uint32_t> places_in(std::size_t cells, std::size_t gap, std::size_t size) {
  std::vector<std::uint32_t> places(size + kPlacesAhead);
  Draws draws;
  std::size_t at = 0;
  for (std::uint32_t& place : places) {
    at += 1 + draws.below(2 * gap - 1);
    draws.next();
    at %= cells;
    place = static_cast<std::uint32_t>(at);
  }
  return places;
}

template <bool kWaits, bool kFetched>
void touch(ShortId* cells, const std::uint32_t* begin, const std::uint32_t* end) {
  std::uint32_t carried = 0;  // 0 in the end, but only the cell tells
  for (const std::uint32_t* at = begin; at < end; ++at) {
    if constexpr (kFetched) __builtin_prefetch(&cells[at[kPlacesAhead]], 1);
    const std::uint32_t place = *at + carried;
    if constexpr (kWaits) carried = cells[place] >> 1;
    cells[place] ^= 1;
  }
}

// `cells`: 2**32 - 1 at most.
inline Touched touch_places(Touch way, std::size_t cells, std::size_t gap, std::size_t places) {
  Array<ShortId> array(cells);
  std::fill(array.data(), array.data() + cells, ShortId{0});
  std::vector<std::uint32_t> list = places_in(cells, gap, places);
  if (way == Touch::kWaits || way == Touch::kOverlaps) {
    Draws draws;
    for (std::size_t left = places; left > 1; --left) {
      std::swap(list[left - 1], list[draws.below(left)]);
      draws.next();
    }
  }
  const std::uint32_t* const begin = list.data();
  const std::uint32_t* const end = begin + places;
  StopWatch watch;
  watch.start();
  switch (way) {
    case Touch::kWaits: touch<true, false>(array.data(), begin, end); break;
    case Touch::kOverlaps:
    case Touch::kAscends: touch<false, false>(array.data(), begin, end); break;
    case Touch::kFetched: touch<false, true>(array.data(), begin, end); break;
  }
  watch.stop();
  Touched touched{watch.seconds, places, 0};
  for (std::size_t i = 0; i < cells; ++i) touched.checksum += array[i] * (i + 1);
  return touched;
}

// The pass of the core over words that are made so that it is known what it does.

// Made of pairs of bytes (2i, 2i + 1): none can overlap with another.
struct PairedWords {
  static constexpr std::size_t kPairs = 128, kBytes = 16;  // of a word

  explicit PairedWords(std::size_t cells) : bytes((cells - 1) / (kBytes + 1) * kBytes) {
    Draws draws;
    for (std::size_t at = 0; at < bytes.size(); at += kBytes) {
      std::uint64_t bits = draws.bits();
      draws.next();
      for (std::size_t i = 0; i < kBytes; i += 2, bits >>= 7) {
        bytes[at + i] = static_cast<std::uint8_t>(2 * (bits % kPairs));
        bytes[at + i + 1] = static_cast<std::uint8_t>(bytes[at + i] + 1);
      }
    }
  }

  // The n-th word occurs once for n words that there are, as in a language.
  std::uint64_t count(std::size_t number) const { return 1 + bytes.size() / kBytes / (number + 1); }

  WordRefs refs() const {
    WordRefs words;
    words.reserve(bytes.size() / kBytes);
    for (std::size_t at = 0; at < bytes.size(); at += kBytes) {
      words.push_back({&bytes[at], kBytes, count(at / kBytes)});
    }
    return words;
  }

  std::vector<std::uint8_t> bytes;  // of all words
};

struct Passed {
  double seconds = 0;
  std::uint64_t positions = 0, stale = 0;
  std::uint64_t checksum = 0;  // of all cells in the end
};

// Merges pairs until there were so many positions or no pair is left; their ids are those from 256 on.
inline void merge_pairs(const WordRefs& refs, std::uint64_t positions, StopWatch& watch, Passed& passed) {
  Checkpoint go_on;
  FlatWordsOfShortIds words(refs, go_on);
  const std::size_t cells = FlatWordsOfShortIds::cells_needed(refs);
  std::vector<std::vector<std::uint32_t>> lists(PairedWords::kPairs);
  for (std::size_t p = 0; p < cells; ++p) {
    const std::size_t byte = words.cells()[p];
    if (byte % 2 == 0 && byte / 2 < lists.size()) lists[byte / 2].push_back(static_cast<std::uint32_t>(p));
  }
  Vocab vocab(256);
  MergePass<std::uint32_t> pass;
  watch.start();
  for (std::uint32_t pair = 0; pair < lists.size() && passed.positions < positions; ++pair) {
    const std::vector<std::uint32_t>& list = lists[pair];
    const Merge merge{2 * pair, 2 * pair + 1, 256 + pair};
    vocab.add(merge.left, merge.right);
    pass.run(words, vocab, merge, list.data(), list.data() + list.size());
    passed.positions += list.size();
    passed.stale += pass.stale;
    pass.clear();
  }
  watch.stop();
  for (std::size_t p = 0; p < cells; ++p) passed.checksum += words.cells()[p] * (p + 1);
}

// Passes over an array of so many cells at most, made anew until there were at least so many positions.
inline Passed merge_in_passes(std::size_t cells, std::uint64_t positions) {
  const PairedWords made(cells);
  const WordRefs refs = made.refs();
  StopWatch watch;
  Passed passed;
  while (!refs.empty() && passed.positions < positions) {
    merge_pairs(refs, positions, watch, passed);
  }
  passed.seconds = watch.seconds;
  return passed;
}

}  // namespace bpe_lab
