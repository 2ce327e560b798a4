// The compiled stages by name.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core.hpp"
#include "positions_stage.hpp"
#include "words_stage.hpp"

namespace bpe_lab {

// The first floor is the top count divided by this; see core.hpp.
inline constexpr std::uint64_t kFloorDivisor = 250000;

inline std::unique_ptr<Stage> make_stage(const std::string& name, const WordTable& table,
                                         std::uint32_t first_id, int threads) {
  const std::vector<WordRef> words = words_by_count(table);
  if (name == "cpp_map") return std::make_unique<HeapStage<NodeMap>>(words, first_id);
  if (name == "cpp_flat") return std::make_unique<HeapStage<FlatMap>>(words, first_id);
  if (name == "cpp_scan") return std::make_unique<ScanStage>(words, first_id, 1);
  if (name == "openmp_scan") return std::make_unique<ScanStage>(words, first_id, threads);
  if (name == "cpp_positions") return std::make_unique<PositionsStage>(words, first_id, threads);
  if (name == "core") {
    if (FlatWords::cells_needed(words) <= 0xFFFFFFFFu) {
      return std::make_unique<Core<std::uint32_t>>(words, first_id, kFloorDivisor);
    }
    return std::make_unique<Core<std::uint64_t>>(words, first_id, kFloorDivisor);
  }
  // For the tests: positions of 64 bits on a small text, and no floor.
  if (name == "core_wide") return std::make_unique<Core<std::uint64_t>>(words, first_id, kFloorDivisor);
  if (name == "core_no_floor") return std::make_unique<Core<std::uint32_t>>(words, first_id, 0);
  throw std::invalid_argument("no compiled stage is called " + name);
}

}  // namespace bpe_lab
