// Every stage in C++ against a straightforward training.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "core.hpp"
#include "experiments/ablations.hpp"
#include "stage.hpp"

namespace bpe_lab {

namespace {

struct SlowMerge {
  std::string left, right;
  std::int64_t count;
};

std::vector<SlowMerge> train_slowly(const Counts& counts) {
  std::vector<std::pair<std::vector<std::string>, std::int64_t>> words;
  for (const auto& [word, count] : counts) {
    words.emplace_back(std::vector<std::string>{}, static_cast<std::int64_t>(count));
    for (const char c : word) words.back().first.emplace_back(1, c);
  }
  std::vector<SlowMerge> merges;
  for (;;) {
    std::map<std::pair<std::string, std::string>, std::int64_t> pairs;
    for (const auto& [tokens, count] : words) {
      for (std::size_t i = 1; i < tokens.size(); ++i) pairs[{tokens[i - 1], tokens[i]}] += count;
    }
    SlowMerge best{"", "", 0};
    for (const auto& [pair, count] : pairs) {  // ascending: the last of equals is the greatest
      if (count >= best.count) best = {pair.first, pair.second, count};
    }
    if (best.count == 0) return merges;
    merges.push_back(best);
    for (auto& [tokens, count] : words) {
      std::vector<std::string> merged;
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (i + 1 < tokens.size() && tokens[i] == best.left && tokens[i + 1] == best.right) {
          merged.push_back(tokens[i] + tokens[i + 1]);
          ++i;
        } else {
          merged.push_back(tokens[i]);
        }
      }
      tokens = std::move(merged);
    }
  }
}

// FlatWords whose cells end the program when one outside of the array is looked at, or fetched.
template <class Cell>
struct CheckedCells {
  Cell* cells;
  std::size_t size;
  Cell& operator[](std::size_t at) const {
    if (at >= size) check(false, "a cell outside of the array", std::to_string(at));
    return cells[at];
  }
};

template <class Words>
class Checked : public Words {
 public:
  using Id = typename Words::Id;
  Checked(const std::vector<WordRef>& words, Checkpoint& checkpoint)
      : Words(words, checkpoint), size_(Words::cells_needed(words)) {}
  CheckedCells<Id> cells() { return {Words::cells(), size_}; }
  CheckedCells<const Id> cells() const { return {Words::cells(), size_}; }

 private:
  const std::size_t size_;
};

std::unique_ptr<Stage> make_core_checked(const WordRefs& words, const Setup& setup) {
  CoreOptions options;
  options.max_rare = 0;  // stale positions leave the lists that are in no table
  if (has_short_ids(setup)) {
    return std::make_unique<Core<std::uint32_t, Checked<FlatWordsOfShortIds>>>(words, setup, options);
  }
  return std::make_unique<Core<std::uint32_t, Checked<FlatWords>>>(words, setup, options);
}

const std::vector<NamedStage>& stages() {
  static const std::vector<NamedStage> all = [] {
    std::vector<NamedStage> both(std::begin(kStages), std::end(kStages));
    both.push_back({"core_checked", make_core_checked});
    for (const Ablation& ablation : kAblations) both.push_back({ablation.name, ablation.make});
    return both;
  }();
  return all;
}

void add_merges_to_digest(const Merges& merges) {
  add_all_to_digest(merges.lefts);
  add_all_to_digest(merges.rights);
  add_all_to_digest(merges.counts);
}

// With the first merges as its base, a stage makes the others.
void check_going_on(Random& random, const WordCounts& table, const std::vector<SlowMerge>& expected) {
  const auto size = static_cast<std::uint32_t>(expected.size());
  const auto base = static_cast<std::uint32_t>(below(random, size + 1));
  std::map<std::string, std::uint32_t> ids;
  for (unsigned byte = 0; byte < 256; ++byte) ids[std::string(1, static_cast<char>(byte))] = byte;
  Setup setup{257 + base, below(random, 2) == 0 ? 0 : 257 + size, 1, {}};
  for (std::uint32_t rank = 0; rank < base; ++rank) {
    const auto& [left, right, count] = expected[rank];
    setup.merges.push_back({ids[left], ids[right], 257 + rank});
    ids[left + right] = 257 + rank;
  }
  setup.min_count = static_cast<std::int64_t>(1 + below(random, 3));
  for (const auto& [name, make] : kStages) {
    const std::unique_ptr<Stage> stage = make_stage(make, table, setup);
    stage->count_pairs();
    const Merges merges = run_merges(*stage, 257 + base, 257 + 1000, 1e9, setup.min_count);
    std::size_t end = base;
    while (end < size && expected[end].count >= setup.min_count) ++end;
    check(merges.no_pair_left && merges.counts.size() == end - base, "merges behind the base", name);
    for (std::size_t rank = base; rank < end; ++rank) {
      check(merges.counts[rank - base] == expected[rank].count, "a count behind the base", name);
    }
  }
}

// Of all stages by one and three threads, or of one that is drawn. Returns how often a table was rebuilt.
std::uint64_t check_training(Random& random, std::size_t round, bool all) {
  static const std::vector<std::vector<std::uint64_t>> sizes = {
      {1}, {1, 2, 3}, {1, 40}, {1, 3, 250001, 10000000}, {1, std::uint64_t{1} << 40}, {std::uint64_t{1} << 56}};
  std::uint64_t rebuilds = 0;
  const std::size_t letters = 1 + below(random, 4);
  const std::vector<std::uint64_t>& size = one_of(random, sizes);
  Counts counts;
  for (std::size_t i = 1 + below(random, 10); i > 0; --i) {
    std::string word(1 + below(random, 14), '\0');
    for (char& c : word) c = "a\0\xff" "b"[below(random, letters)];
    if (below(random, 4) == 0) word = std::string(1 + below(random, 12), 'a');
    counts[word] = one_of(random, size);
  }
  WordCounts table;
  for (const auto& [word, count] : counts) add_word(table, word, count);
  const std::vector<SlowMerge> expected = train_slowly(counts);
  if (all || below(random, 8) == 0) check_going_on(random, table, expected);
  // How many merges will be made is known, not known, or wrong.
  const std::uint32_t end_ids[] = {0, 257 + static_cast<std::uint32_t>(expected.size()), 257 + 3};
  const std::uint32_t end_id = end_ids[round % 3];
  const std::vector<NamedStage> drawn = all ? stages() : std::vector<NamedStage>{one_of(random, stages())};
  for (const auto& [name, make] : drawn) {
    for (int threads = 1; threads <= (all ? 3 : 1); threads += 2) {
      const std::unique_ptr<Stage> stage = make_stage(make, table, {257, end_id, threads, {}});
      stage->count_pairs();
      const Merges merges = run_merges(*stage, 257, 257 + 1000, 1e9);
      add_merges_to_digest(merges);
      std::vector<std::string> vocab;
      for (unsigned byte = 0; byte < 256; ++byte) vocab.emplace_back(1, static_cast<char>(byte));
      vocab.emplace_back();  // a special token
      check(merges.no_pair_left && merges.lefts.size() == expected.size(), name, counts.begin()->first);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::string &left = vocab[merges.lefts[i]], &right = vocab[merges.rights[i]];
        check(left == expected[i].left && right == expected[i].right && merges.counts[i] == expected[i].count,
              name, left + "|" + right + " for " + expected[i].left + "|" + expected[i].right);
        const std::string merged = left + right;
        vocab.push_back(merged);
      }
      for (const auto& [operation, count] : stage->operations()) {
        if (operation == "rebuilds") rebuilds += count;
      }
    }
  }
  return rebuilds;
}

}  // namespace

void check_stages(Random& random, std::size_t rounds) {
  std::uint64_t rebuilds = 0;
  for (std::size_t round = 0; round < rounds; ++round) rebuilds += check_training(random, round, true);
  check(rebuilds > 0, "no floor was lowered: the tables are too tame", "");
}

void fuzz_stages(Random& random) { check_training(random, below(random, 3), false); }

// Larger, so that threads get work at the same time, tables grow, and no brute force keeps pace.
void check_larger(Random& random) {
  std::string text;
  while (text.size() < 300000) {
    text += ' ';
    for (std::size_t i = 1 + below(random, 20); i > 0; --i) text += static_cast<char>('a' + below(random, 6));
  }
  Counts first;
  WordCounts table;
  for (const int threads : {1, 2, 3, 8}) {
    Counted counted = count_texts(random, {text}, {}, threads, 4096);
    if (first.empty()) first = as_map(counted.words);
    check(as_map(counted.words) == first, "threads changed the counts", "");
    table = std::move(counted.words);
  }
  std::unique_ptr<Merges> expected;
  for (const auto& [name, make] : stages()) {
    for (const int threads : {2, 8}) {
      const std::unique_ptr<Stage> stage = make_stage(make, table, {256, 256 + 150, threads, {}});
      stage->count_pairs();
      Merges merges = run_merges(*stage, 256, 256 + 150, 1e9);
      add_merges_to_digest(merges);
      if (!expected) expected = std::make_unique<Merges>(merges);
      check(merges.lefts == expected->lefts && merges.rights == expected->rights, name, "");
    }
  }
}

}  // namespace bpe_lab
