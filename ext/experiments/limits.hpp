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

struct Touched {
  double seconds = 0;
  std::uint64_t checksum = 0;  // which cells were touched an odd number of times
};

using ShortId = FlatWordsOfShortIds::Id;
inline constexpr std::size_t kPlacesAhead = static_cast<std::size_t>(MergePass<std::uint32_t>::kAhead);

// Places that ascend through the whole array, again and again, 256 cells apart in the mean, and the same ones shuffled: a
// pair stands in one cell of hundreds. Behind them some more, to be fetched.
inline std::vector<std::uint32_t> places_in(std::size_t cells, std::size_t size, bool ascending) {
  std::vector<std::uint32_t> places(size + kPlacesAhead);
  std::mt19937_64 random(2024);
  std::size_t at = 0;
  for (std::uint32_t& place : places) {
    at = (at + 1 + random() % 511) % cells;
    place = static_cast<std::uint32_t>(at);
  }
  for (std::size_t left = size; !ascending && left > 1; --left) std::swap(places[left - 1], places[random() % left]);
  return places;
}

template <bool kDependent, bool kFetched>
void touch(ShortId* cells, const std::uint32_t* begin, const std::uint32_t* end, unsigned work) {
  std::uint32_t carried = 0;  // 0 in the end, but only the cell tells
  std::uint32_t worked = 0;
  for (const std::uint32_t* at = begin; at < end; ++at) {
    if constexpr (kFetched) __builtin_prefetch(&cells[at[kPlacesAhead]], 1);
    const std::uint32_t place = *at + carried;
    if constexpr (kDependent) carried = cells[place] >> 1;
    cells[place] ^= 1;
    for (unsigned step = 0; step < work; ++step) {
      worked += step ^ place;
      asm volatile("" : "+r"(worked));
    }
  }
}

// `cells`: 2**32 - 1 at most. Dependent places are not fetched: nobody knows them.
inline Touched touch_places(bool dependent, bool ascending, bool fetched, std::size_t cells, std::size_t places,
                            unsigned work) {
  Array<ShortId> array(cells);
  std::fill(array.data(), array.data() + cells, ShortId{0});
  const std::vector<std::uint32_t> list = places_in(cells, places, ascending);
  const auto loop = dependent ? touch<true, false> : fetched ? touch<false, true> : touch<false, false>;
  Touched touched{seconds_of([&] { loop(array.data(), list.data(), list.data() + places, work); })};
  for (std::size_t i = 0; i < cells; ++i) touched.checksum += array[i] * (i + 1);
  return touched;
}

}  // namespace bpe_lab
