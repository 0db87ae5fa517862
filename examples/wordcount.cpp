// SPDX-License-Identifier: BSD-3-Clause
// Counts the words of text files in one hash table that is spread over all PEs.
//
//      syncline run -n 8 -N 4 wordcount [--top N] [FILE...]
//
// Every PE reads its slice of the files' bytes. A word's hash says which PE has its bucket; the bucket is claimed with
// a remote compare&swap of the hash into an empty bucket (the next one if it is another word's), and counted with a
// remote fetch&add. PE 0 then reads the whole table with gets, and compares it with a plain sequential count of the
// same files. Without files: the licence texts in /usr/share/common-licenses.
#include <syncline.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

constexpr size_t word_bytes = 48;   // longer words are cut
constexpr uint64_t buckets = 8192;  // per PE

struct Bucket {
    uint64_t hash;  // 0: free
    uint64_t count;
    char word[word_bytes];
};
static_assert(sizeof(Bucket) == 64);

void must(int status) {
    if (status < 0) {
        std::fprintf(stderr, "wordcount: PE %d: %s\n", syncline_rank(), syncline_last_error());
        syncline_abort(1);
    }
}

uint64_t hash_of(const std::string& word) {
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (const char letter : word) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
    }
    return hash != 0 ? hash : 1;
}

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

// Calls `use` with every word that starts in [from, to) of the text.
template <typename Use>
void for_each_word(const std::string& text, size_t from, size_t to, Use&& use) {
    size_t at = from;
    while (at > 0 && at < to && is_letter(text[at - 1]) && is_letter(text[at])) {
        at++;  // began in the slice before
    }
    while (at < to) {
        if (!is_letter(text[at])) {
            at++;
            continue;
        }
        std::string word;
        for (; at < text.size() && is_letter(text[at]); at++) {
            if (word.size() < word_bytes - 1) {
                word += static_cast<char>(std::tolower(static_cast<unsigned char>(text[at])));
            }
        }
        use(word);
    }
}

class Table {
  public:
    explicit Table(syncline_address_t address) : address_(address) {}

    void count(const std::string& word) {
        const Place place = find(word);
        uint64_t before;
        must(syncline_fetch_add64(place.rank, place.bucket + offsetof(Bucket, count), 1, &before));
    }

  private:
    struct Place {
        int rank;
        syncline_address_t bucket;
    };

    Place find(const std::string& word) {
        const auto known = known_.find(word);
        return known != known_.end() ? known->second : known_[word] = claim(word);
    }

    Place claim(const std::string& word) const {
        const uint64_t hash = hash_of(word);
        const int rank = static_cast<int>(hash % static_cast<uint64_t>(syncline_size()));
        for (uint64_t probe = 0; probe < buckets; probe++) {
            const uint64_t index = (hash / static_cast<uint64_t>(syncline_size()) + probe) % buckets;
            const syncline_address_t bucket = address_ + index * sizeof(Bucket);
            uint64_t old;
            must(syncline_cas64(rank, bucket + offsetof(Bucket, hash), 0, hash, &old));
            if (old == 0) {
                char text[word_bytes] = {};
                word.copy(text, sizeof(text) - 1);
                must(syncline_put(rank, bucket + offsetof(Bucket, word), text, sizeof(text)));
            }
            if (old == 0 || old == hash) {
                return {rank, bucket};
            }
        }
        std::fprintf(stderr, "wordcount: the table of PE %d is full (%llu words)\n", rank,
                     static_cast<unsigned long long>(buckets));
        syncline_abort(1);
    }

    const syncline_address_t address_;
    std::unordered_map<std::string, Place> known_;
};

std::vector<std::string> default_files() {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator("/usr/share/common-licenses")) {
        if (entry.is_regular_file() && !entry.is_symlink()) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<std::string> read_files(const std::vector<std::string>& names) {
    std::vector<std::string> texts;
    for (const std::string& name : names) {
        std::ifstream file(name, std::ios::binary);
        std::ostringstream text;
        if (!file || !(text << file.rdbuf())) {
            std::fprintf(stderr, "wordcount: cannot read %s\n", name.c_str());
            syncline_abort(1);
        }
        texts.push_back(text.str());
    }
    return texts;
}

std::map<std::string, uint64_t> collect(syncline_address_t table) {
    std::map<std::string, uint64_t> counts;
    std::vector<Bucket> part(buckets);
    for (int rank = 0; rank < syncline_size(); rank++) {
        must(syncline_get(rank, table, part.data(), buckets * sizeof(Bucket)));
        for (const Bucket& bucket : part) {
            if (bucket.hash != 0) {
                counts[bucket.word] += bucket.count;
            }
        }
    }
    return counts;
}

int report(const std::map<std::string, uint64_t>& counts, const std::vector<std::string>& texts, size_t top,
           double seconds) {
    std::map<std::string, uint64_t> reference;
    uint64_t words = 0;
    for (const std::string& text : texts) {
        for_each_word(text, 0, text.size(), [&](const std::string& word) {
            reference[word]++;
            words++;
        });
    }
    std::vector<std::pair<uint64_t, std::string>> order;
    for (const auto& [word, count] : counts) {
        order.emplace_back(count, word);
    }
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    const auto s = [](int number) { return number == 1 ? "" : "s"; };
    std::printf("%zu files, %llu words, %zu different ones; %d PE%s on %d node%s over %s, %.2f s\n", texts.size(),
                static_cast<unsigned long long>(words), counts.size(), syncline_size(), s(syncline_size()),
                syncline_nodes(), s(syncline_nodes()), syncline_transport(), seconds);
    for (size_t i = 0; i < std::min(top, order.size()); i++) {
        std::printf("%8llu  %s\n", static_cast<unsigned long long>(order[i].first), order[i].second.c_str());
    }
    if (counts != reference) {
        std::printf("WRONG: the table differs from the sequential count of the same files\n");
        return 1;
    }
    std::printf("checked: every count equals the sequential count of the same files\n");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    size_t top = 10;
    std::vector<std::string> files;
    for (int i = 1; i < argc; i++) {
        if (std::strcmp(argv[i], "--top") == 0 && i + 1 < argc) {
            top = std::strtoul(argv[++i], nullptr, 10);
        } else if (argv[i][0] == '-') {
            std::fprintf(stderr, "usage: wordcount [--top N] [FILE...]\n");
            return 2;
        } else {
            files.emplace_back(argv[i]);
        }
    }
    if (syncline_init(nullptr) != SYNCLINE_OK) {
        std::fprintf(stderr, "wordcount: %s\n", syncline_last_error());
        return 1;
    }
    const std::vector<std::string> texts = read_files(files.empty() ? default_files() : files);
    syncline_address_t address;
    must(syncline_alloc(buckets * sizeof(Bucket), 64, &address));
    std::memset(syncline_local(address), 0, buckets * sizeof(Bucket));
    must(syncline_barrier());

    const auto start = std::chrono::steady_clock::now();
    Table table(address);
    const auto rank = static_cast<size_t>(syncline_rank());
    const auto size = static_cast<size_t>(syncline_size());
    for (const std::string& text : texts) {
        for_each_word(text, text.size() * rank / size, text.size() * (rank + 1) / size,
                      [&](const std::string& word) { table.count(word); });
    }
    must(syncline_barrier());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    int result = 0;
    if (rank == 0) {
        result = report(collect(address), texts, top, seconds);
    }
    must(syncline_finalize());
    return result;
}
