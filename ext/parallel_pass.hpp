// The pass of merge_pass.hpp by several threads, for pairs with very many positions.
//
// The positions are cut into one part for each thread, where no part reads what another one writes. Each
// part has sums of its own; they are added up, in the order of the parts; then each part writes its
// positions behind those of the parts before it. So lists ascend as with one thread, and neither a merge
// nor an operation count depends on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "merge_pass.hpp"
#include "thread_pool.hpp"
#include "vocab.hpp"

namespace bpe_lab {

// Where positions can be cut in two: at number `at` or behind it; `size` when nowhere.
//
// Of a position q at most the cells q - 1 .. q + n are read and q .. q + n - 1 written, n being the
// length of the new token. When the next position is above q + n, two parts share at most the cell
// q + n, which neither writes.
// `at` is 1 or more; the positions of a word ascend and stand together.
template <class Position>
std::size_t cut(const Position* positions, std::size_t size, std::size_t at, std::size_t new_length) {
  while (at < size && positions[at] - positions[at - 1] <= new_length) ++at;
  return at;
}

// The sums of a part, as they stand in the sums of all parts.
template <class Sums>
class PartSums {
 public:
  // Adds the sums of `part`, the next one, to those of all.
  void add_up(Sums& part, Sums& all) {
    shares_.clear();
    for (const auto& sum : part.sums()) {
      const std::uint32_t number = all.number_of(sum.neighbour);
      auto& total = all.sums()[number];
      shares_.push_back({number, total.positions});
      total.weight += sum.weight;
      total.positions += sum.positions;
    }
  }

  // Tells the part where its positions go: behind those of the parts before it.
  void follow(Sums& part, Sums& all) const {
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const auto out = all.sums()[shares_[i].number].out;
      if (out != nullptr) part.sums()[i].out = out + shares_[i].before;
    }
  }

 private:
  struct Share {
    std::uint32_t number;  // in the sums of all
    std::size_t before;    // positions that the parts before this one have
  };
  std::vector<Share> shares_;
};

// `Pass`: a MergePass, or what an ablation has in its place.
template <class Pass>
class ParallelPass {
 public:
  using Position = typename Pass::Position;

  // `first`: the pass of the first part, which gets the sums of all.
  ParallelPass(Pass& first, ThreadPool& pool, std::size_t threads)
      : first_(first), others_(threads - 1), pool_(pool) {}

  // As MergePass::run; `parts` is not more than there are threads.
  template <class Words>
  void run(Words& words, const Vocab& vocab, const Merge& merge, const Position* begin,
           const Position* end, std::size_t parts) {
    const auto size = static_cast<std::size_t>(end - begin);
    begins_.assign(1, 0);
    for (std::size_t part = 1; part < parts; ++part) {
      const std::size_t at = std::max(begins_.back(), size * part / parts);
      begins_.push_back(cut(begin, size, at, vocab.length(merge.new_id)));
    }
    begins_.push_back(size);
    pool_.run(parts, [&](std::size_t part) {
      pass(part).run(words, vocab, merge, begin + begins_[part], begin + begins_[part + 1]);
    });
    for (std::size_t part = 1; part < parts; ++part) {
      Other& other = others_[part - 1];
      other.left_sums.add_up(other.pass.lefts, first_.lefts);
      other.right_sums.add_up(other.pass.rights, first_.rights);
      first_.new_new_weight += other.pass.new_new_weight;
      first_.new_new_positions.insert(first_.new_new_positions.end(), other.pass.new_new_positions.begin(),
                                      other.pass.new_new_positions.end());
      first_.stale += other.pass.stale;
    }
  }

  // As MergePass::write_positions, for all parts; those behind the first are cleared.
  void write_positions() {
    const std::size_t parts = begins_.size() - 1;
    for (std::size_t part = 1; part < parts; ++part) {
      Other& other = others_[part - 1];
      other.left_sums.follow(other.pass.lefts, first_.lefts);
      other.right_sums.follow(other.pass.rights, first_.rights);
    }
    pool_.run(parts, [&](std::size_t part) { pass(part).write_positions(); });
    for (std::size_t part = 1; part < parts; ++part) others_[part - 1].pass.clear();
  }

 private:
  struct Other {
    Pass pass;
    PartSums<typename Pass::Sums> left_sums, right_sums;
  };

  Pass& pass(std::size_t part) { return part == 0 ? first_ : others_[part - 1].pass; }

  Pass& first_;
  std::vector<Other> others_;
  ThreadPool& pool_;
  std::vector<std::size_t> begins_;  // of the parts, and the end; kept, for a new one takes as long as a merge
};

}  // namespace bpe_lab
