// Several merges in one call: what a call per merge from Python costs is what the core needs for one.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "stage.hpp"

namespace bpe_lab {

struct Merges {
  std::vector<std::uint32_t> lefts, rights;
  std::vector<std::int64_t> counts;
  std::vector<double> seconds;  // since the call began
  double select_seconds = 0;
  bool no_pair_left = false;
};

// Makes merges for the ids from `first_id` until `end_id`, or until `seconds` are over: one at least. Pairs
// that count less than `min_count` are none.
inline Merges run_merges(Stage& stage, std::uint32_t first_id, std::uint32_t end_id,
                         double seconds, std::int64_t min_count = 1) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  };
  Merges merges;
  const Clock::time_point begin = Clock::now();
  Clock::time_point now = begin;
  for (std::uint32_t id = first_id; id < end_id; ++id) {
    const Choice choice = stage.select();
    const Clock::time_point selected = Clock::now();
    merges.select_seconds += since(now, selected);
    if (choice.count < min_count) {
      merges.no_pair_left = true;
      break;
    }
    stage.update(choice.left, choice.right, id);
    now = Clock::now();
    merges.lefts.push_back(choice.left);
    merges.rights.push_back(choice.right);
    merges.counts.push_back(choice.count);
    merges.seconds.push_back(since(begin, now));
    if (merges.seconds.back() >= seconds) break;
  }
  return merges;
}

}  // namespace bpe_lab
