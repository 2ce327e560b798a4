#include "make_stage.hpp"

#include "core.hpp"
#include "extended_core.hpp"
#include "flat_words.hpp"
#include "maps.hpp"
#include "positions_stage.hpp"
#include "threads.hpp"
#include "words_stage.hpp"

namespace bpe_lab {

std::unique_ptr<Stage> make_cpp_map(const WordRefs& words, const Setup& setup) {
  return std::make_unique<HeapStage<NodeMap>>(words, setup);
}

std::unique_ptr<Stage> make_cpp_flat(const WordRefs& words, const Setup& setup) {
  return std::make_unique<HeapStage<FlatMap>>(words, setup);
}

std::unique_ptr<Stage> make_cpp_scan(const WordRefs& words, const Setup& setup) {
  Setup alone = setup;
  alone.threads = 1;
  return std::make_unique<ScanStage>(words, alone);
}

std::unique_ptr<Stage> make_openmp_scan(const WordRefs& words, const Setup& setup) {
  require_threads(setup.threads);
  return std::make_unique<ScanStage>(words, setup);
}

std::unique_ptr<Stage> make_cpp_positions(const WordRefs& words, const Setup& setup) {
  require_threads(setup.threads);
  return std::make_unique<PositionsStage>(words, setup);
}

namespace {

std::unique_ptr<Stage> make_extended_core(const WordRefs& words, const Setup& setup) {
  if (needs_wide_positions(words)) return std::make_unique<ExtendedCore<std::uint64_t>>(words, setup);
  if (has_short_ids(setup)) return std::make_unique<ExtendedCore<std::uint32_t, FlatWordsOfShortIds>>(words, setup);
  return std::make_unique<ExtendedCore<std::uint32_t>>(words, setup);
}

}  // namespace

std::unique_ptr<Stage> make_core(const WordRefs& words, const Setup& setup) {
  if (!setup.merges.empty()) return make_extended_core(words, setup);
  if (needs_wide_positions(words)) return std::make_unique<Core<std::uint64_t>>(words, setup);
  if (has_short_ids(setup)) return std::make_unique<Core<std::uint32_t, FlatWordsOfShortIds>>(words, setup);
  return std::make_unique<Core<std::uint32_t>>(words, setup);
}

std::unique_ptr<Stage> make_stage(MakeStage make, const WordCounts& counts, Setup setup) {
  const WordRefs words = words_by_count(counts, setup.go_on);
  return make(words, setup);
}

}  // namespace bpe_lab
