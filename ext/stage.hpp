// What every compiled stage offers to the loop that drives it, and what they all start from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bpe_lab {

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

// Ids are below this: the two greatest values mark what is no token.
inline constexpr std::uint32_t kMostIds = 0xFFFFFFFEu;

// Long work asks now and then whether it shall go on.
class Checkpoint {
 public:
  using Ask = bool (*)(void* context);

  Checkpoint() = default;
  Checkpoint(Ask ask, void* context) : ask_(ask), context_(context) {}

  // Call it for every piece of work, or many at once, of some nanoseconds each.
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

// What a stage is told beside its words.
struct Setup {
  std::uint32_t first_id;    // of the first merge; the ids from 256 up to it are special tokens
  std::uint32_t end_id = 0;  // behind that of the last merge; 0: not known
  int threads = 1;
  Checkpoint go_on;
  std::int64_t min_count = 1;  // rarer pairs will not be merged
  // To be made in the words first, in this order, with ids below `first_id`: the training goes on from there.
  std::vector<Merge> merges = {};
};

// The methods are called in this order; then select and update in turn.
class Stage {
 public:
  virtual ~Stage() = default;
  virtual void count_pairs() = 0;
  virtual Choice select() = 0;
  virtual void update(std::uint32_t left, std::uint32_t right, std::uint32_t new_id) = 0;
  virtual Operations operations() const = 0;
  // Ids are below this.
  virtual std::uint32_t most_ids() const { return kMostIds; }
};

// Makes a stage from words, the most frequent first.
using MakeStage = std::unique_ptr<Stage> (*)(const WordRefs& words, const Setup& setup);

}  // namespace bpe_lab
