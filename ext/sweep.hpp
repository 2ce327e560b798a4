// One merge's walk over the places of its pair, or over a part of them: several threads can take a part
// each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flat_words.hpp"
#include "stage.hpp"

namespace bpe_lab {

// The neighbours on one side of the matches: what a merge does to their pairs, summed up by neighbour
// in a plain array.
template <class Position>
class Side {
 public:
  struct Delta {
    std::int64_t weight = 0;
    std::size_t places = 0;
    std::size_t before = 0;   // places that the parts before this one have
    Position* out = nullptr;  // where the next place is listed; null: the pair is below the floor
    bool touched = false;
  };

  void make_room(std::uint32_t new_id) {
    if (deltas_.size() <= new_id) deltas_.resize(new_id + std::size_t{4096});
  }

  Delta& operator[](std::uint32_t neighbour) { return deltas_[neighbour]; }
  const std::vector<std::uint32_t>& touched() const { return touched_; }

  void note(std::uint32_t neighbour, std::int64_t weight, std::size_t position) {
    add(neighbour, weight, 1);
    events_.push_back({neighbour, static_cast<Position>(position)});
  }

  // Takes the last `note` back, which was for this neighbour.
  void take_back(std::uint32_t neighbour, std::int64_t weight) {
    Delta& delta = deltas_[neighbour];
    delta.weight -= weight;
    --delta.places;
    events_.pop_back();
  }

  // Adds the sums of the part that comes next.
  void absorb(Side& part) {
    for (const std::uint32_t neighbour : part.touched_) {
      Delta& delta = part.deltas_[neighbour];
      delta.before = deltas_[neighbour].places;
      add(neighbour, delta.weight, delta.places);
    }
  }

  // Finds out where the places of this part go: behind those of the parts before it.
  void follow(const Side& first) {
    for (const std::uint32_t neighbour : touched_) {
      Position* const out = first.deltas_[neighbour].out;
      if (out != nullptr) deltas_[neighbour].out = out + deltas_[neighbour].before;
    }
  }

  // Lists the places.
  void list() {
    for (const Event& event : events_) {
      Position*& out = deltas_[event.neighbour].out;
      if (out != nullptr) *out++ = event.position;
    }
  }

  void clear() {
    for (const std::uint32_t neighbour : touched_) deltas_[neighbour] = {};
    touched_.clear();
    events_.clear();
  }

 private:
  struct Event {
    std::uint32_t neighbour;
    Position position;
  };

  void add(std::uint32_t neighbour, std::int64_t weight, std::size_t places) {
    Delta& delta = deltas_[neighbour];
    if (!delta.touched) {
      delta.touched = true;
      touched_.push_back(neighbour);
    }
    delta.weight += weight;
    delta.places += places;
  }

  std::vector<Delta> deltas_;  // by neighbour
  std::vector<std::uint32_t> touched_;
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
    const std::size_t left_length = vocab.length(left), new_length = vocab.length(new_id);
    std::uint32_t* const cells = words.cells();
    std::size_t step = 0;
    for (const Position* place = begin; place < end; ++place) {
      if (end - place > kAhead) __builtin_prefetch(cells + place[kAhead], 1);
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

  static constexpr std::ptrdiff_t kAhead = 12;  // places between a prefetch and its use
};

// Where a list of places can be cut in two: at number `at` or behind it; `size` when nowhere.
//
// Of a place q at most the cells q - 1 .. q + n are read and q .. q + n - 1 written, n being the length of the
// new token. When the next place is above q + n, two parts share at most the cell q + n, which neither writes.
// `at` is 1 or more; the places of a word ascend and stand together.
template <class Position>
std::size_t cut(const Position* places, std::size_t size, std::size_t at, std::size_t new_length) {
  while (at < size && places[at] - places[at - 1] <= new_length) ++at;
  return at;
}

}  // namespace bpe_lab
