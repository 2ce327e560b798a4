// The interface of the compiled stages: what they start from, their methods, and the loop that calls them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bpe_lab {

class WordCounts;

// Two ids as one integer.
using Pair = std::uint64_t;

inline Pair pair_of(std::uint32_t left, std::uint32_t right) {
  return Pair{left} << 32 | right;
}
inline std::uint32_t left_of(Pair pair) { return static_cast<std::uint32_t>(pair >> 32); }
inline std::uint32_t right_of(Pair pair) { return static_cast<std::uint32_t>(pair); }

// A word that lies in a table, and how often it occurs.
struct WordRef {
  const std::uint8_t* bytes;
  std::uint32_t length;
  std::uint64_t count;
};
using WordRefs = std::vector<WordRef>;

// The pair to merge.
struct Choice {
  std::uint32_t left = 0, right = 0;
  std::int64_t count = 0;  // 0: no pair is left
};

struct Merge {
  std::uint32_t left, right, new_id;
};

using Operations = std::vector<std::pair<std::string, std::uint64_t>>;

// Ids are below this: the two greatest values are markers, not tokens.
inline constexpr std::uint32_t kMaxIds = 0xFFFFFFFEu;

// Long work asks it now and then whether to go on.
class Checkpoint {
 public:
  using Ask = bool (*)(void* context);

  Checkpoint() = default;
  Checkpoint(Ask ask, void* context) : ask_(ask), context_(context) {}

  // Call it for every piece of work, or once for many; a piece takes a few nanoseconds.
  void operator()(std::size_t pieces = 1) {
    if (pieces < left_) {
      left_ -= pieces;
      return;
    }
    left_ = kEvery;
    if (ask_ != nullptr && !ask_(context_)) throw std::runtime_error("interrupted");
  }

 private:
  static constexpr std::size_t kEvery = 1 << 20;
  Ask ask_ = nullptr;
  void* context_ = nullptr;
  std::size_t left_ = kEvery;
};

// What a stage gets besides its words.
struct Setup {
  std::uint32_t first_id;    // of the first merge; the ids from 256 up to it are special tokens
  std::uint32_t end_id = 0;  // one past that of the last merge; 0: unknown
  int threads = 1;
  Checkpoint checkpoint;
  std::int64_t min_count = 1;  // rarer pairs will not be merged
  std::uint32_t max_token_bytes = UINT32_MAX;  // a pair whose token would be longer is never merged
  // Merges to make in the words first, in this order, with ids below `first_id`: the training goes on from there.
  std::vector<Merge> merges = {};
};

// count_pairs is called first, then select and update alternately.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual void count_pairs() = 0;
  virtual Choice select() = 0;
  virtual void update(std::uint32_t left, std::uint32_t right, std::uint32_t new_id) = 0;
  virtual Operations operations() const = 0;
  // Ids are below this.
  virtual std::uint32_t max_ids() const { return kMaxIds; }
};

// Makes a stage from words, the most frequent first.
using MakeStage = std::unique_ptr<Stage> (*)(const WordRefs& words, const Setup& setup);

// The stages of the registry (stages.cpp).
struct NamedStage {
  const char* name;
  MakeStage make;
};
extern const NamedStage kStages[6];

// Throws std::invalid_argument when there is no stage of that name.
MakeStage stage_named(const std::string& name);

// Makes a stage from the words of a table.
std::unique_ptr<Stage> make_stage(MakeStage make, const WordCounts& counts, Setup setup);

struct Merges {
  std::vector<std::uint32_t> lefts, rights;
  std::vector<std::int64_t> counts;
  std::vector<double> seconds;  // since the call began
  double select_seconds = 0;
  bool no_pair_left = false;
};

// Makes merges for the ids from `first_id` to below `end_id`, or until `seconds` are over, but at least one. Stops at
// pairs rarer than `min_count`. (One call for many merges: a call per merge from Python costs as much as a merge.)
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
