// What one merge does to the pairs on one side of its matches, summed up by neighbour.
//
// All pairs that a merge of (left, right) makes are (x, new) or (new, y), and all that it lowers are
// (x, left) or (right, y). So one sum per neighbour is enough, in an array that is indexed by the
// neighbour's id: the table of pairs is touched once per neighbour and not once per match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bpe_lab {

template <class Position>
class NeighbourSums {
 public:
  struct Sum {
    std::uint32_t neighbour;
    std::int64_t weight = 0;
    std::size_t positions = 0;  // how many
    Position* out = nullptr;    // where the next position is written; null: the pair is below the floor
  };

  static constexpr bool kByMatch = false;  // in an ablation each match changes its pairs by itself

  void make_room(std::uint32_t new_id) {
    if (number_of_.size() <= new_id) number_of_.resize(new_id + std::size_t{4096});
  }

  // In the order in which their neighbours were met.
  std::vector<Sum>& sums() { return sums_; }

  // Adds a match: the new pair with this neighbour begins at the position. (Called, not inlined, merging is a little
  // slower, and what the compiler would do depends on all other code of its file.)
  [[gnu::always_inline]] void add(std::uint32_t neighbour, std::int64_t weight, std::size_t position) {
    const std::uint32_t number = number_of(neighbour);
    sums_[number].weight += weight;
    ++sums_[number].positions;
    events_.push_back({number, static_cast<Position>(position)});
  }

  // Takes the last `add` back, which was for this neighbour.
  void take_back(std::uint32_t neighbour, std::int64_t weight) {
    Sum& sum = sums_[number_of_[neighbour]];
    sum.weight -= weight;
    --sum.positions;
    events_.pop_back();
  }

  // Writes all positions, each to the `out` of its neighbour.
  void write_positions() {
    for (const Event& event : events_) {
      Position*& out = sums_[event.number].out;
      if (out != nullptr) *out++ = event.position;
    }
  }

  void clear() {
    sums_.clear();
    events_.clear();
  }

  // The number of the neighbour's sum. An entry of number_of_ holds when that sum says so, too: nothing
  // needs to be cleared between two merges (Briggs and Torczon, "An efficient representation for sparse
  // sets", 1993).
  [[gnu::always_inline]] std::uint32_t number_of(std::uint32_t neighbour) {
    std::uint32_t& number = number_of_[neighbour];
    if (number >= sums_.size() || sums_[number].neighbour != neighbour) {
      number = add_sum(neighbour);
    }
    return number;
  }

 protected:
  struct Event {
    std::uint32_t number;
    Position position;
  };

  std::vector<Sum> sums_;
  std::vector<Event> events_;

 private:
  [[gnu::noinline]] std::uint32_t add_sum(std::uint32_t neighbour) {
    sums_.push_back({neighbour});
    return static_cast<std::uint32_t>(sums_.size() - 1);
  }

  std::vector<std::uint32_t> number_of_;  // by neighbour
};

}  // namespace bpe_lab
