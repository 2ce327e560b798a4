// The C++ of ext/ against straightforward versions of itself, without Python: for the sanitizers.
//
//   make sanitize
//
// Random texts, tables and settings from fixed seeds; the first difference ends the program.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "counter.hpp"
#include "experiments.hpp"
#include "failing_memory.hpp"
#include "make_stage.hpp"
#include "portable_scanner.hpp"
#include "runner.hpp"

namespace {

using namespace bpe_lab;
using Random = std::mt19937_64;
using Counts = std::map<std::string, std::uint64_t>;

std::size_t checks = 0;

void check(bool holds, const char* what, const std::string& of) {
  ++checks;
  if (holds) return;
  std::fprintf(stderr, "check_native: %s: \"", what);
  for (const char c : of) std::fprintf(stderr, "\\x%02x", static_cast<unsigned char>(c));
  std::fprintf(stderr, "\"\n");
  std::exit(1);
}

std::size_t below(Random& random, std::size_t bound) { return random() % bound; }

template <class T>
const T& one_of(Random& random, const std::vector<T>& choices) {
  return choices[below(random, choices.size())];
}

// Straightforward versions.

struct Point {
  std::size_t begin, end;
  unsigned kind;
};

// Code points by the definition of UTF-8. Stops at the first invalid byte; `valid` tells where.
std::vector<Point> points_of(const std::string& text, std::size_t& valid) {
  std::vector<Point> points;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint32_t lead = byte(at);
    const std::size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    if (length == 0 || at + length > text.size()) break;
    std::uint32_t code = length == 1 ? lead : lead & (0x7Fu >> length);
    bool good = true;
    for (std::size_t i = 1; i < length; ++i) {
      good = good && (byte(at + i) & 0xC0) == 0x80;
      code = code << 6 | (byte(at + i) & 0x3Fu);
    }
    static const std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!good || code < smallest[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) break;
    points.push_back({at, at + length, class_of(code)});
    at += length;
  }
  valid = at;
  return points;
}

// The pattern, its alternatives tried one after the other at each place. Returns where words end.
std::vector<std::size_t> word_ends(const std::string& text, const std::vector<Point>& points) {
  std::vector<std::size_t> ends;
  const std::size_t n = points.size();
  const auto letter_at = [&](std::size_t i) { return i < n ? text[points[i].begin] : '\0'; };
  const auto run = [&](std::size_t i, unsigned kind) {
    while (i < n && points[i].kind == kind) ++i;
    return i;
  };
  for (std::size_t i = 0; i < n;) {
    std::size_t end = i;
    if (letter_at(i) == '\'') {
      const char a = letter_at(i + 1), b = letter_at(i + 2);
      if (i + 1 < n && (a == 's' || a == 'd' || a == 'm' || a == 't')) {
        end = i + 2;
      } else if (i + 2 < n && ((a == 'l' && b == 'l') || ((a == 'v' || a == 'r') && b == 'e'))) {
        end = i + 3;
      }
    }
    const std::size_t first = letter_at(i) == ' ' ? i + 1 : i;
    for (const unsigned kind : {kLetter, kNumber, kOther}) {
      if (end == i && run(first, kind) > first) end = run(first, kind);
    }
    if (end == i) {
      end = run(i, kSpace);
      if (end < n && end > i + 1) --end;
    }
    ends.push_back(points[end - 1].end);
    i = end;
  }
  return ends;
}

void count_piece(const std::string& piece, Counts& counts) {
  std::size_t valid = 0, begin = 0;
  const std::vector<Point> points = points_of(piece, valid);
  for (const std::size_t end : word_ends(piece, points)) {
    ++counts[piece.substr(begin, end - begin)];
    begin = end;
  }
}

// At every byte, the longest special token that begins there cuts.
Counts count_slowly(const std::string& text, const std::vector<std::string>& specials) {
  Counts counts;
  std::size_t begin = 0, at = 0;
  while (at < text.size()) {
    std::size_t longest = 0;
    for (const std::string& token : specials) {
      if (text.compare(at, token.size(), token) == 0) longest = std::max(longest, token.size());
    }
    if (longest != 0) {
      count_piece(text.substr(begin, at - begin), counts);
      begin = at + longest;
    }
    at += longest != 0 ? longest : 1;
  }
  count_piece(text.substr(begin), counts);
  return counts;
}

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

// Random material.

const std::vector<std::string> kPieces = {
    "a", "b", "z", "A", "Z", "0", "9", "!", "?", "'", "\"", "@", "[", "`", "{", "/", ":", "-",
    "'s", "'d", "'m", "'t", "'ll", "'ve", "'re", "'l", "'v", "''s", "'s's", " ", "  ", "   ", "\n",
    "\r\n", "\t", "\x0b", "\x0c", " '", " 's", "the", " the", "wordwordwordwordx", std::string(1, '\0'),
    "\x1c", "\x7f", "<|endoftext|>", "<|"};
const std::vector<std::string> kLong = {"é", "字", "🙂", "\u00a0", "\u3000", "\u0085",
                                        "\u2028", "\u0301", "²", "Ⅷ", "\ufeff", "\u07ff", "\uffff"};
const std::vector<std::string> kBad = {"\xff", "\x80", "\xc3", "\xe5\xad", "\xf0\x9f\x99", "\xed\xa0\x80",
                                       "\xc0\xaf", "\xe0\x80\x80", "\xf4\x90\x80\x80", "\xf0\x8f\xbf\xbf"};

std::string random_text(Random& random, std::size_t size, bool wide, bool bad) {
  std::vector<std::string> pieces;
  for (std::size_t i = 1 + below(random, 9); i > 0; --i) pieces.push_back(one_of(random, kPieces));
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t dice = below(random, 16);
    text += wide && dice < 2 ? one_of(random, kLong)
            : bad && dice == 2 && below(random, 6) == 0 ? one_of(random, kBad)
                                                         : one_of(random, pieces);
  }
  return text;
}

// The checks.

// In a block of memory of its own, so that a read behind the promised padding is found.
struct Padded {
  explicit Padded(const std::string& text) : bytes(new std::uint8_t[text.size() + kPadding]), size(text.size()) {
    std::memcpy(bytes.get(), text.data(), size);
    std::memset(bytes.get() + size, 'e', kPadding);  // a letter: what reads on would take it
  }
  std::unique_ptr<std::uint8_t[]> bytes;
  std::size_t size;
};

void check_scanners(Random& random, std::size_t rounds) {
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::size_t flavour = below(random, 4);
    std::string text = random_text(random, 1 + below(random, 120), flavour > 0, flavour == 3);
    if (below(random, 3) == 0) text.resize(std::min<std::size_t>(text.size(), 60 + below(random, 10)));
    if (round % 16 == 0) {
      for (char& c : text) c = static_cast<char>(random());
    }
    const Padded padded(text);
    const std::uint8_t* const begin = padded.bytes.get();
    std::vector<std::size_t> ends;
    const std::uint8_t* const stop =
        scan_words(begin, begin + padded.size, [&](const std::uint8_t*, const std::uint8_t* after) {
          ends.push_back(static_cast<std::size_t>(after - begin));
        });
    std::size_t portable_stop = 0;
    const auto portable_ends = portable_word_ends(begin, begin + padded.size, portable_stop);

    std::size_t valid = 0;
    const std::vector<Point> points = points_of(text, valid);
    check(static_cast<std::size_t>(stop - begin) == valid, "the scanner stopped elsewhere", text);
    check(portable_stop == valid, "the portable scanner stopped elsewhere", text);
    if (valid == text.size()) {
      const std::vector<std::size_t> expected = word_ends(text, points);
      check(ends == expected, "the scanner cut elsewhere", text);
      check(portable_ends == expected, "the portable scanner cut elsewhere", text);
    }
    if (text.size() >= 16) {
      check(ascii_letters(begin) == portable_ascii_letters(begin), "ascii_letters differ", text);
    }
  }
}

class MemorySource final : public Source {
 public:
  MemorySource(std::string bytes, std::size_t most) : bytes_(std::move(bytes)), most_(most) {}
  std::size_t read(std::uint8_t* into, std::size_t size) override {
    const std::size_t got = std::min({size, most_, bytes_.size() - at_});
    std::memcpy(into, bytes_.data() + at_, got);
    at_ += got;
    return got;
  }

 private:
  const std::string bytes_;
  const std::size_t most_;
  std::size_t at_ = 0;
};

class FailingSource final : public Source {
 public:
  std::size_t read(std::uint8_t* into, std::size_t size) override {
    if (++reads_ > 20) throw std::runtime_error("failed on purpose");
    std::memset(into, ' ', size);
    return size;
  }

 private:
  std::size_t reads_ = 0;
};

// Never ends.
class EndlessSource final : public Source {
 public:
  std::size_t read(std::uint8_t* into, std::size_t size) override {
    for (std::size_t i = 0; i < size; ++i) into[i] = i % 7 == 0 ? ' ' : 'a';
    return size;
  }
};

bool go_on(void*) { return true; }
bool stop_now(void*) { return false; }

Counts as_map(const WordTable& table) {
  Counts counts;
  for (std::size_t i = 0; i < table.capacity(); ++i) {
    const WordSlot& slot = table.slot(i);
    if (slot.length == 0) continue;
    counts[std::string(reinterpret_cast<const char*>(word_bytes(slot)), slot.length)] += slot.count;
  }
  return counts;
}

void check_counting(Random& random, std::size_t rounds) {
  const std::vector<std::vector<std::string>> special_sets = {
      {}, {"<|endoftext|>"}, {"<|", "<|endoftext|>"}, {" ", "a", "ab", "'s"}, {"字", "\n"}};
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::vector<std::string>& specials = one_of(random, special_sets);
    const bool bad = round % 4 == 3;
    std::vector<std::string> texts;
    for (std::size_t i = 1 + below(random, 3); i > 0; --i) {
      texts.push_back(random_text(random, below(random, round % 8 == 0 ? 4000 : 300), true, bad));
    }
    Counts expected;
    std::size_t bad_file = texts.size(), bad_offset = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::size_t valid = 0;
      points_of(texts[i], valid);
      if (valid < texts[i].size()) {
        bad_file = i;
        bad_offset = valid;
        break;
      }
      for (const auto& [word, count] : count_slowly(texts[i], specials)) expected[word] += count;
    }
    Counts replaced;  // by the first setting; the others must give the same
    for (const int threads : {1, 2, 3, 8}) {
      for (const std::size_t block_bytes : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
        for (const bool replace : {false, true}) {
          std::vector<std::unique_ptr<Source>> sources;
          for (const std::string& text : texts) {
            sources.push_back(std::make_unique<MemorySource>(text, 1 + below(random, 5000)));
          }
          const Counted counted = count_files(std::move(sources), specials, threads, block_bytes, replace,
                                              {go_on, nullptr});
          if (bad_file == texts.size()) {
            check(!counted.invalid.found, "good text was called bad", texts[0]);
            check(as_map(counted.words) == expected, "the counts differ", texts[0]);
          } else if (replace) {
            const Counts counts = as_map(counted.words);
            check(!counted.invalid.found, "replaced text was called bad", texts[0]);
            if (replaced.empty()) replaced = counts;
            check(counts == replaced, "the counts of replaced text differ", texts[0]);
          } else {
            check(counted.invalid.found && counted.invalid.file == bad_file &&
                      counted.invalid.offset == bad_offset,
                  "another error was found", texts[bad_file]);
          }
        }
      }
    }
  }
  for (const int threads : {1, 2, 8}) {
    std::vector<std::unique_ptr<Source>> sources;
    sources.push_back(std::make_unique<EndlessSource>());
    const Counted counted = count_files(std::move(sources), {}, threads, 4096, false, {stop_now, nullptr});
    check(counted.interrupted, "nobody stopped it", "");
    sources.clear();
    sources.push_back(std::make_unique<FailingSource>());
    bool failed = false;
    try {
      count_files(std::move(sources), {}, threads, 64, false, {go_on, nullptr});
    } catch (const std::runtime_error&) {
      failed = true;
    }
    check(failed, "a failure was lost", "");
  }
}

// At every place, all tokens are compared.
std::size_t match_slowly(const std::string& text, std::size_t at, const std::vector<std::string>& specials) {
  std::size_t longest = 0;
  for (const std::string& token : specials) {
    if (text.compare(at, token.size(), token) == 0) longest = std::max(longest, token.size());
  }
  return longest;
}

void check_special_tokens(Random& random, std::size_t rounds) {
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto word = [&](std::size_t longest) {
      std::string made(1 + below(random, longest), '<');
      for (char& c : made) c = "<<a\xff"[below(random, round % 2 == 0 ? 3 : 4)];
      return made;
    };
    std::vector<std::string> specials;
    for (std::size_t i = below(random, 30); i > 0; --i) specials.push_back(word(1 + below(random, 12)));
    std::string text;
    for (std::size_t i = below(random, 30); i > 0; --i) {
      text += specials.empty() || below(random, 2) == 0 ? word(4) : one_of(random, specials);
    }
    const SpecialTokens tokens(specials);
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(text.data());
    const std::uint8_t* const end = begin + text.size();
    for (std::size_t at = 0; at < text.size(); ++at) {
      std::size_t first = at, length = 0, found = 0;
      while (first < text.size() && (length = match_slowly(text, first, specials)) == 0) ++first;
      check(tokens.find(begin + at, end, found) == begin + first && found == length,
            "another special token was found", text.substr(at));
      bool spans = false;
      for (std::size_t before = 0; before < at; ++before) {
        spans = spans || before + match_slowly(text, before, specials) > at;
      }
      check(tokens.span(begin, begin + at, end) == spans, "a special token spans a cut, or none does", text);
    }
  }
  // However many there are: of those that begin like the text, one at most is compared.
  std::vector<std::string> many;
  for (std::size_t i = 0; i < 10000; ++i) many.push_back("<|token " + std::to_string(i) + "|>");
  const SpecialTokens tokens(many);
  std::string text(2000, '<');
  for (std::size_t i = 0; i < 2000; ++i) text += "<|token " + std::to_string(below(random, 30000)) + "|";
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(text.data());
  std::size_t compared = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    tokens.candidates(begin + at, begin + text.size(), [&](const std::string&, std::size_t) { ++compared; });
  }
  check(compared <= 2000, "many special tokens are compared", std::to_string(compared));
}

void check_tables(Random& random) {
  Counts expected;
  std::vector<WordTable> tables(5);
  for (std::size_t i = 0; i < 60000; ++i) {
    std::string word(1 + below(random, below(random, 10) == 0 ? 40 : 5), 'a');
    for (char& c : word) c = static_cast<char>(below(random, 3));
    const std::uint64_t count = 1 + below(random, 1u << 31);
    expected[word] += count;
    tables[below(random, tables.size())].add_word(reinterpret_cast<const std::uint8_t*>(word.data()),
                                                  word.size(), count);
  }
  WordTable all;
  for (WordTable& table : tables) all.take(std::move(table));
  check(as_map(all) == expected, "the merged tables differ", "");
  for (const auto& [word, count] : expected) {
    check(all.count_of(reinterpret_cast<const std::uint8_t*>(word.data()), word.size()) == count,
          "a word has another count", word);
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

class CheckedWords : public FlatWords {
 public:
  CheckedWords(const std::vector<WordRef>& words, Checkpoint& go_on)
      : FlatWords(words, go_on), size_(cells_needed(words)) {}
  CheckedCells<std::uint32_t> cells() { return {FlatWords::cells(), size_}; }
  CheckedCells<const std::uint32_t> cells() const { return {FlatWords::cells(), size_}; }

 private:
  const std::size_t size_;
};

std::unique_ptr<Stage> make_checked_stage(const std::string& name, const WordTable& table, Setup setup) {
  if (name != "core_checked") return make_stage(name, table, setup);
  CoreOptions options;
  options.few = 0;  // stale places leave the lists that are in no table
  return std::make_unique<Core<std::uint32_t, CheckedWords>>(words_by_count(table, setup.go_on), setup, options);
}

void check_stages(Random& random, std::size_t rounds) {
  const std::vector<std::vector<std::uint64_t>> sizes = {
      {1}, {1, 2, 3}, {1, 40}, {1, 3, 250001, 10000000}, {1, std::uint64_t{1} << 40}, {std::uint64_t{1} << 56}};
  std::uint64_t rebuilds = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::size_t letters = 1 + below(random, 4);
    const std::vector<std::uint64_t>& size = one_of(random, sizes);
    Counts counts;
    for (std::size_t i = 1 + below(random, 10); i > 0; --i) {
      std::string word(1 + below(random, 14), '\0');
      for (char& c : word) c = "a\0\xff" "b"[below(random, letters)];
      if (below(random, 4) == 0) word = std::string(1 + below(random, 12), 'a');
      counts[word] = one_of(random, size);
    }
    WordTable table;
    for (const auto& [word, count] : counts) {
      table.add_word(reinterpret_cast<const std::uint8_t*>(word.data()), word.size(), count);
    }
    const std::vector<SlowMerge> expected = train_slowly(counts);
    // How many merges will be made is known, not known, or wrong.
    const std::uint32_t end_ids[] = {0, 257 + static_cast<std::uint32_t>(expected.size()), 257 + 3};
    const std::uint32_t end_id = end_ids[round % 3];
    for (const char* const name : {"cpp_map", "cpp_flat", "cpp_scan", "openmp_scan", "openmp_scan_always",
                                   "cpp_positions", "core", "core_checked", "core_wide", "core_parts", "core_no_floor",
                                   "core_all_in_table", "core_looked_up_weights", "core_unsorted_places"}) {
      for (const int threads : {1, 3}) {
        const std::unique_ptr<Stage> stage = make_checked_stage(name, table, {257, end_id, threads, {}});
        stage->count_pairs();
        const Merges merges = run_merges(*stage, 257, 257 + 1000, 1e9);
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
  }
  check(rebuilds > 0, "no floor was lowered: the tables are too tame", "");
}

// Larger, so that threads get work at the same time, tables grow, and no brute force keeps pace.
void check_larger(Random& random) {
  std::string text;
  while (text.size() < 300000) {
    text += ' ';
    for (std::size_t i = 1 + below(random, 20); i > 0; --i) text += static_cast<char>('a' + below(random, 6));
  }
  Counts first;
  WordTable table;
  for (const int threads : {1, 2, 3, 8}) {
    std::vector<std::unique_ptr<Source>> sources;
    sources.push_back(std::make_unique<MemorySource>(text, text.size()));
    Counted counted = count_files(std::move(sources), {}, threads, 4096, false, {go_on, nullptr});
    if (first.empty()) first = as_map(counted.words);
    check(as_map(counted.words) == first, "threads changed the counts", "");
    table = std::move(counted.words);
  }
  std::unique_ptr<Merges> expected;
  for (const char* const name :
       {"core", "core_parts", "cpp_flat", "openmp_scan_always", "cpp_positions", "core_no_floor"}) {
    for (const int threads : {2, 8}) {
      const std::unique_ptr<Stage> stage = make_stage(name, table, {256, 256 + 150, threads, {}});
      stage->count_pairs();
      Merges merges = run_merges(*stage, 256, 256 + 150, 1e9);
      if (!expected) expected = std::make_unique<Merges>(merges);
      check(merges.lefts == expected->lefts && merges.rights == expected->rights, name, "");
    }
  }
}

// What the experiments compare: the same choices and counts, whatever the map, hash and threads.
void check_experiments() {
  const std::vector<PairHeap::Entry> chosen = select_pairs("heap", "node", 3000, 30, 1, "").chosen;
  for (const char* const how : {"scan", "copy"}) {
    for (const char* const schedule : {"", "static", "dynamic", "guided"}) {
      for (const int threads : {1, 2, 3, 8}) {
        const Selected other = select_pairs(how, "flat", 3000, 30, threads, schedule);
        bool same = other.chosen.size() == chosen.size();
        for (std::size_t i = 0; same && i < chosen.size(); ++i) {
          same = other.chosen[i].pair == chosen[i].pair && other.chosen[i].count == chosen[i].count;
        }
        check(same, "choices differ", std::string(how) + " " + schedule);
      }
    }
  }
  const std::vector<Change> changes = training_changes({"banana", "ananas", "bandana"}, {3, 5, 2}, 256, 262);
  std::map<Pair, std::int64_t> counts;
  for (const Change& one : changes) counts[one.pair] += one.change;
  for (const char* const map : {"node", "flat"}) {
    for (const char* const hash : {"identity", "shifted_xor", "boost_combine", "fibonacci", "multiply_mix"}) {
      std::map<Pair, std::int64_t> left = counts;
      for (const Change& one : replay(map, hash, changes, 1).counts) left[one.pair] -= one.change;
      for (const auto& [pair, count] : left) check(count == 0, "counts differ", hash);
    }
  }
}

#ifdef BPE_LAB_FAILING_MEMORY

// Calls work(round) again and again; each time another of its allocations fails, until none does.
template <class Work>
void with_failing_memory(Work&& work) {
  for (long round = 0;; ++round) {
    work(round);
    if (allocations_left.exchange(-1) >= 0) return;
  }
}

// Lack of memory is an exception, and nothing else: no end of the process, no half of a result.
void check_failing_memory() {
  WordTable table(4);
  Counts expected;
  std::size_t failures = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const std::string word = std::string(i % 3 == 0 ? 100000 : 3, 'w') + std::to_string(i);
    const auto add = [&] {
      table.add_word(reinterpret_cast<const std::uint8_t*>(word.data()), word.size(), 1);
    };
    // First the arena gets no memory, then the larger table does not.
    bool added = false;
    for (long left = 0; !added; ++left) {
      allocations_left = left;
      try {
        add();
        added = true;
      } catch (const std::bad_alloc&) {
        ++failures;
      }
      allocations_left = -1;
      if (!added) check(as_map(table) == expected && table.size() == expected.size(), "half a word was added", word);
    }
    expected[word] = 1;
    check(as_map(table) == expected && table.size() == expected.size(), "a word was not added", word);
  }
  check(failures > 50, "memory failed too rarely", std::to_string(failures));

  with_failing_memory([](long round) {
    allocations_left = round;
    try {
      require_threads(4);
    } catch (const std::exception&) {
    }
  });

  with_failing_memory([](long round) {
    std::atomic<int> done{0};
    const std::function<void(std::size_t)> work = [&done](std::size_t) { ++done; };
    Crew crew(4);
    allocations_left = round;
    crew.run(100, work);
    check(done == 100, "parts were not done", std::to_string(done));
  });

  std::string text;
  for (int i = 0; i < 3000; ++i) text += " a long word with number" + std::to_string(i % 700) + (i % 40 == 0 ? "<|x|>" : "");
  const Counts counts = count_slowly(text, {"<|x|>"});
  for (const int threads : {1, 3}) {
    with_failing_memory([&](long round) {
      std::vector<std::unique_ptr<Source>> sources;
      sources.push_back(std::make_unique<MemorySource>(text, 4096));
      allocations_left = round;
      try {
        const Counted counted = count_files(std::move(sources), {"<|x|>"}, threads, 4096, false, {go_on, nullptr});
        const long left = allocations_left.exchange(-1);
        check(as_map(counted.words) == counts, "lack of memory changed the counts", "");
        allocations_left = left;
      } catch (const std::exception&) {
      }
    });
  }

  WordTable words;
  for (const char* const word : {"banana", "ananas", "bandana", "abababab", "aaaaaaaaaaaa"}) {
    words.add_word(reinterpret_cast<const std::uint8_t*>(word), std::strlen(word), 1);
  }
  for (const char* const name : {"cpp_map", "cpp_flat", "openmp_scan", "cpp_positions", "core", "core_parts"}) {
    std::size_t n_merges = 0;
    {
      const std::unique_ptr<Stage> stage = make_stage(name, words, {256, 0, 3, {}});
      stage->count_pairs();
      n_merges = run_merges(*stage, 256, 1000, 1e9).lefts.size();
    }
    with_failing_memory([&](long round) {
      allocations_left = round;
      try {
        const std::unique_ptr<Stage> stage = make_stage(name, words, {256, 0, 3, {}});
        stage->count_pairs();
        check(run_merges(*stage, 256, 1000, 1e9).lefts.size() == n_merges, "lack of memory changed the merges", name);
      } catch (const std::exception&) {
      }
    });
  }
}

#endif

}  // namespace

int main(int arguments, char** argument) {
  // Sanitizers are slow: fewer rounds than without.
  const std::size_t scale = arguments > 1 ? std::strtoul(argument[1], nullptr, 10) : 10;
  Random random(2024);
  check_scanners(random, 4000 * scale);
  check_special_tokens(random, 300 * scale);
  check_tables(random);
  check_counting(random, 20 * scale);
  check_stages(random, 60 * scale);
  check_larger(random);
  check_experiments();
#ifdef BPE_LAB_FAILING_MEMORY
  check_failing_memory();
#endif
#if defined(BPE_LAB_SSE2)
  const char* const scanner = "SSE2";
#elif defined(BPE_LAB_NEON)
  const char* const scanner = "NEON";
#else
  const char* const scanner = "portable";
#endif
#ifdef _OPENMP
  const char* const threads = "with threads";
#else
  const char* const threads = "without OpenMP";
#endif
  std::printf("check_native: %zu checks held (scanners: %s and portable; %s)\n", checks, scanner, threads);
  return 0;
}
