// One merge's walk over the places of its pair, or over a part of them: several threads can take a part
// each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "flat_words.hpp"
#include "stage.hpp"

namespace bpe_lab {

// The neighbours on one side of the matches: what a merge does to their pairs, summed up by neighbour.
template <class Position>
class Side {
 public:
  struct Sum {
    std::uint32_t neighbour;
    std::uint32_t number_in_all = 0;  // in the sums of the first part, which get those of all
    std::int64_t weight = 0;
    std::size_t places = 0;
    std::size_t before = 0;   // places that the parts before this one have
    Position* out = nullptr;  // where the next place is listed; null: the pair is below the floor
  };

  void make_room(std::uint32_t new_id) {
    if (number_of_.size() <= new_id) number_of_.resize(new_id + std::size_t{4096});
  }

  std::vector<Sum>& sums() { return sums_; }

  void note(std::uint32_t neighbour, std::int64_t weight, std::size_t position) {
    const std::uint32_t number = number_of(neighbour);
    sums_[number].weight += weight;
    ++sums_[number].places;
    events_.push_back({number, static_cast<Position>(position)});
  }

  // Takes the last `note` back, which was for this neighbour.
  void take_back(std::uint32_t neighbour, std::int64_t weight) {
    Sum& sum = sums_[number_of_[neighbour]];
    sum.weight -= weight;
    --sum.places;
    events_.pop_back();
  }

  // Adds the sums of the part that comes next.
  void absorb(Side& part) {
    for (Sum& more : part.sums_) {
      more.number_in_all = number_of(more.neighbour);
      Sum& all = sums_[more.number_in_all];
      more.before = all.places;
      all.weight += more.weight;
      all.places += more.places;
    }
  }

  // Finds out where the places of this part go: behind those of the parts before it.
  void follow(const Side& first) {
    for (Sum& sum : sums_) {
      Position* const out = first.sums_[sum.number_in_all].out;
      if (out != nullptr) sum.out = out + sum.before;
    }
  }

  // Lists the places.
  void list() {
    for (const Event& event : events_) {
      Position*& out = sums_[event.number].out;
      if (out != nullptr) *out++ = event.position;
    }
  }

  void clear() {
    sums_.clear();
    events_.clear();
  }

 private:
  struct Event {
    std::uint32_t number;
    Position position;
  };

  // The number of the neighbour's sum. An entry of number_of_ holds when that sum says so, too: nothing
  // needs to be cleared between two merges (Briggs and Torczon, "An efficient representation for sparse
  // sets", 1993).
  std::uint32_t number_of(std::uint32_t neighbour) {
    std::uint32_t& number = number_of_[neighbour];
    if (number >= sums_.size() || sums_[number].neighbour != neighbour) {
      number = static_cast<std::uint32_t>(sums_.size());
      sums_.push_back({neighbour});
    }
    return number;
  }

  std::vector<std::uint32_t> number_of_;  // by neighbour
  std::vector<Sum> sums_;                 // in the order in which they were met
  std::vector<Event> events_;
};

// A merge, or a thread's part of it.
template <class Position>
struct Sweep {
  Side<Position> lefts, rights;
  std::vector<Position> twins;  // the places of (new, new)
  std::int64_t twin_weight = 0;
  std::size_t stale = 0;

  // Merges (left, right) at the places from `begin` to `end` that are still live; they ascend.
  template <class Words>
  void run(Words& words, const Vocab& vocab, const Position* begin, const Position* end,
           std::uint32_t left, std::uint32_t right, std::uint32_t new_id) {
    lefts.make_room(new_id);
    rights.make_room(new_id);
    if (begin == end) return;
    const std::size_t left_length = vocab.length(left), new_length = vocab.length(new_id);
    const auto cells = words.cells();
    // From the cell before a match to that behind it: often two cache lines. Both are in the array at a
    // stale place, too: when it was listed, the pair stood there, and a separator behind it.
    const auto fetch = [&](std::size_t p) {
      __builtin_prefetch(&cells[p - 1], 1);
      __builtin_prefetch(&cells[p + new_length], 1);
    };
    const Position* const fetched = begin + std::min(end - begin, kAhead);
    for (const Position* place = begin; place < fetched; ++place) fetch(*place);
    std::size_t step = words.step_near(*begin);
    for (const Position* place = begin; place < end; ++place) {
      if (end - place > kAhead) fetch(place[kAhead]);
      const std::size_t p = *place, middle = p + left_length, after = p + new_length;
      if (cells[p] != left || cells[middle] != right) {
        ++stale;
        continue;
      }
      cells[middle - 1] = FlatWords::kDead;
      cells[middle] = FlatWords::kDead;
      cells[p] = new_id;
      cells[after - 1] = new_id;
      const std::int64_t weight = words.weight(p, step);
      const std::uint32_t before = cells[p - 1], next = cells[after];
      if (before == new_id) {
        // The match just before, in `a b a b`, has noted (ab, a) on its right: take it back. That
        // (b, a) is gone stays true.
        rights.take_back(left, weight);
        twin_weight += weight;
        twins.push_back(static_cast<Position>(p - new_length));
      } else if (before != FlatWords::kSeparator) {
        lefts.note(before, weight, p - vocab.length(before));
      }
      if (next != FlatWords::kSeparator) rights.note(next, weight, p);
    }
  }

  void clear() {
    lefts.clear();
    rights.clear();
    twins.clear();
    twin_weight = 0;
    stale = 0;
  }

  static constexpr std::ptrdiff_t kAhead = 64;  // places between a prefetch and its use
};

// Where a list of places can be cut in two: at number `at` or behind it; `size` when nowhere.
//
// Of a place q at most the cells q - 1 .. q + n are read and q .. q + n - 1 written, n being the length
// of the new token. When the next place is above q + n, two parts share at most the cell q + n, which
// neither writes.
// `at` is 1 or more; the places of a word ascend and stand together.
template <class Position>
std::size_t cut(const Position* places, std::size_t size, std::size_t at, std::size_t new_length) {
  while (at < size && places[at] - places[at - 1] <= new_length) ++at;
  return at;
}

}  // namespace bpe_lab
