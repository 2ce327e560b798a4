// How each compiled stage of the registry is made. Compiled on its own: the stages are templates.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base_merges.hpp"
#include "core.hpp"
#include "flat_words.hpp"
#include "maps.hpp"
#include "positions_stage.hpp"
#include "stage.hpp"
#include "words_stage.hpp"

namespace bpe_lab {

namespace {

template <class OneStage>
std::unique_ptr<Stage> make(const WordRefs& words, const Setup& setup) {
  return std::make_unique<OneStage>(words, setup);
}

std::unique_ptr<Stage> make_unthreaded_scan(const WordRefs& words, const Setup& setup) {
  Setup alone = setup;
  alone.threads = 1;
  return make<ScanStage>(words, alone);
}

template <template <class Position, class Words> class OneCore>
std::unique_ptr<Stage> make_sized(const WordRefs& words, const Setup& setup) {
  if (needs_wide_positions(words)) return make<OneCore<std::uint64_t, FlatWords>>(words, setup);
  if (has_short_ids(setup)) return make<OneCore<std::uint32_t, FlatWordsOfShortIds>>(words, setup);
  return make<OneCore<std::uint32_t, FlatWords>>(words, setup);
}

template <class Position, class Words>
using WholeCore = Core<Position, Words>;

// The core, going on from a tokenizer: the merges of that are applied to the words first.
template <class Position, class Words>
class ExtendedCore final : public Core<Position, Words> {
 public:
  // The floor follows from the words of two or more tokens, by the proof of Core::min_final_count. Where there are too
  // few of them to tell, most pairs are rare, and all are listed.
  ExtendedCore(const WordRefs& words, const Setup& setup) : Core<Position, Words>(words, setup) {
    BaseMerges base(setup.merges);
    std::uint32_t merges = std::max(setup.end_id, setup.first_id) - setup.first_id;
    std::int64_t& floor = this->floor_ = this->min_count_;
    this->words_.change_words(this->vocab_, this->checkpoint_, [&](std::vector<std::uint32_t>& tokens, std::int64_t weight) {
      const bool allowed = tokens.size() <= setup.max_token_bytes;  // of bytes, yet
      base.merge(tokens);
      this->pairs_counted_ += tokens.size() - 1;
      if (allowed && tokens.size() >= 2 && merges != 0 && --merges == 0) floor = std::max(floor, weight);
    });
  }

  void count_pairs() override { this->rebuild(this->floor_); }
};

std::unique_ptr<Stage> make_core(const WordRefs& words, const Setup& setup) {
  return setup.merges.empty() ? make_sized<WholeCore>(words, setup) : make_sized<ExtendedCore>(words, setup);
}

}  // namespace

const NamedStage kStages[] = {
    {"cpp_map", make<HeapStage<NodeMap>>},
    {"cpp_flat", make<HeapStage<FlatMap>>},
    {"cpp_scan", make_unthreaded_scan},
    {"openmp_scan", make<ScanStage>},
    {"cpp_positions", make<PositionsStage>},
    {"core", make_core},
};

MakeStage stage_named(const std::string& name) {
  std::string known;
  for (const NamedStage& stage : kStages) {
    if (name == stage.name) return stage.make;
    known += std::string(" ") + stage.name;
  }
  throw std::invalid_argument("unknown stage " + name + ": known are" + known);
}

std::unique_ptr<Stage> make_stage(MakeStage make, const WordCounts& counts, Setup setup) {
  const WordRefs words = words_by_count(counts, setup.checkpoint);
  return make(words, setup);
}

}  // namespace bpe_lab
