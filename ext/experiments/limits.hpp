// What the suite `limit` measures: how fast this machine could merge pairs, if a merge did nothing but read and write
// the cells of the array of tokens at which its pair stands. (Counting a text: counting_ways.hpp.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "experiments/stopwatch.hpp"
#include "flat_words.hpp"
#include "merge_pass.hpp"

namespace bpe_lab {

// kWaits: in no order, and the next place is known when the cell of the last one has come. kAscends: as the list of a
// pair has them. kFetched: and prefetched, as the pass of a merge does it.
enum class Touch { kWaits, kAscends, kFetched };

struct Touched {
  double seconds = 0;
  std::uint64_t checksum = 0;  // which cells were touched an odd number of times
};

using ShortId = FlatWordsOfShortIds::Id;
inline constexpr std::size_t kPlacesAhead = static_cast<std::size_t>(MergePass<std::uint32_t>::kAhead);
// Cells from a place to the next one in the mean: a pair stands at one of hundreds or more.
inline constexpr std::size_t kGap = 256;

// Places that ascend through the whole array, again and again. Behind them some more, to be fetched.
inline std::vector<std::uint32_t> places_in(std::size_t cells, std::size_t size) {
  std::vector<std::uint32_t> places(size + kPlacesAhead);
  std::mt19937_64 random(2024);
  std::size_t at = 0;
  for (std::uint32_t& place : places) {
    at = (at + 1 + random() % (2 * kGap - 1)) % cells;
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
inline Touched touch_places(Touch way, std::size_t cells, std::size_t places) {
  Array<ShortId> array(cells);
  std::fill(array.data(), array.data() + cells, ShortId{0});
  std::vector<std::uint32_t> list = places_in(cells, places);
  if (way == Touch::kWaits) {
    std::mt19937_64 random(2024);
    for (std::size_t left = places; left > 1; --left) std::swap(list[left - 1], list[random() % left]);
  }
  const std::uint32_t* const begin = list.data();
  const std::uint32_t* const end = begin + places;
  Touched touched{seconds_of([&] {
    switch (way) {
      case Touch::kWaits: return touch<true, false>(array.data(), begin, end);
      case Touch::kAscends: return touch<false, false>(array.data(), begin, end);
      case Touch::kFetched: return touch<false, true>(array.data(), begin, end);
    }
  })};
  for (std::size_t i = 0; i < cells; ++i) touched.checksum += array[i] * (i + 1);
  return touched;
}

}  // namespace bpe_lab
