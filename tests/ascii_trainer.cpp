// A trainer in another language, right on ASCII: TEXT VOCAB_SIZE SPECIAL_TOKENS OUT. It cuts at the
// first special token of a JSON list, and writes merges as JSON, a token as a list of its bytes.
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

using Tokens = std::vector<std::string>;
using Pair = std::pair<std::string, std::string>;

static int kind(unsigned char c) {
    return std::isspace(c) ? 0 : std::isalpha(c) ? 1 : std::isdigit(c) ? 2 : 3;
}

static std::string next_word(const std::string& text, size_t at) {
    static const char* const suffixes[] = {"'s", "'d", "'m", "'t", "'ll", "'ve", "'re"};
    for (const char* suffix : suffixes)
        if (text.compare(at, std::string(suffix).size(), suffix) == 0) return suffix;
    size_t begin = at + (text[at] == ' ' && at + 1 < text.size() && kind(text[at + 1]) != 0);
    size_t end = begin;
    while (end < text.size() && kind(text[end]) == kind(text[begin])) ++end;
    if (kind(text[begin]) == 0 && end < text.size() && end - at > 1) --end;  // \s+(?!\S)
    return text.substr(at, end - at);
}

int main(int, char** argv) {
    std::ifstream file(argv[1], std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}}, list = argv[3];
    const size_t open = list.find('"'), n_specials = open == std::string::npos ? 0 : 1;
    const std::string special = n_specials ? list.substr(open + 1, list.find('"', open + 1) - open - 1) : "";
    std::map<std::string, long> counts;
    for (size_t at = 0; at < text.size();) {
        const size_t cut = n_specials ? text.find(special, at) : std::string::npos;
        const std::string part = text.substr(at, cut == std::string::npos ? cut : cut - at);
        for (size_t place = 0; place < part.size();) {
            const std::string word = next_word(part, place);
            ++counts[word];
            place += word.size();
        }
        if (cut == std::string::npos) break;
        at = cut + special.size();
    }
    std::vector<std::pair<Tokens, long>> words;
    for (const auto& [word, count] : counts) {
        Tokens tokens;
        for (const char c : word) tokens.emplace_back(1, c);
        words.emplace_back(tokens, count);
    }
    std::FILE* out = std::fopen(argv[4], "wb");
    std::fputs("[", out);
    const auto write = [out](const std::string& token) {
        for (size_t i = 0; i < token.size(); ++i)
            std::fprintf(out, "%s%d", i ? ", " : "[", static_cast<unsigned char>(token[i]));
        std::fputs("]", out);
    };
    for (long left = std::atol(argv[2]) - 256 - static_cast<long>(n_specials), made = 0; made < left; ++made) {
        std::map<Pair, long> pairs;
        for (const auto& [tokens, count] : words)
            for (size_t i = 1; i < tokens.size(); ++i) pairs[{tokens[i - 1], tokens[i]}] += count;
        if (pairs.empty()) break;
        auto best = pairs.begin();
        for (auto it = pairs.begin(); it != pairs.end(); ++it)
            if (it->second >= best->second) best = it;
        std::fputs(made ? ", [" : "[", out);
        write(best->first.first);
        std::fputs(", ", out);
        write(best->first.second);
        std::fputs("]", out);
        for (auto& [tokens, count] : words) {
            Tokens merged;
            for (size_t i = 0; i < tokens.size(); ++i) {
                const bool found = i + 1 < tokens.size() && Pair{tokens[i], tokens[i + 1]} == best->first;
                merged.push_back(found ? tokens[i] + tokens[i + 1] : tokens[i]);
                i += found;
            }
            tokens = merged;
        }
    }
    std::fputs("]", out);
    return std::fclose(out);
}
