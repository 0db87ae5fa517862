// SPDX-License-Identifier: BSD-3-Clause
#include "job/launchers/process_mapping.h"

#include <charconv>
#include <string_view>

#include "base/failure.h"
#include "firmware/wire.h"

namespace syncline {
namespace {

struct Block {
    uint32_t first = 0;
    uint32_t nodes = 0;
    uint32_t each = 0;
};

// Advances over the text that it reads, and skips blanks.
class Reader {
  public:
    explicit Reader(std::string_view text) : rest_(text) {}

    bool skip(std::string_view word) {
        skip_blanks();
        const bool there = rest_.starts_with(word);
        rest_.remove_prefix(there ? word.size() : 0);
        return there;
    }
    bool number(uint32_t* value) {
        skip_blanks();
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), *value);
        rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
        return error == std::errc();
    }
    bool at_end() {
        skip_blanks();
        return rest_.empty();
    }

  private:
    void skip_blanks() {
        while (!rest_.empty() && rest_[0] == ' ') {
            rest_.remove_prefix(1);
        }
    }

    std::string_view rest_;
};

bool read_block(Reader* reader, Block* block) {
    return reader->skip("(") && reader->number(&block->first) && reader->skip(",") && reader->number(&block->nodes) &&
           reader->skip(",") && reader->number(&block->each) && reader->skip(")") && block->nodes > 0 &&
           block->each > 0 && block->first < SLW_RANKS_MAX && block->nodes <= SLW_RANKS_MAX;
}

std::vector<Block> read_blocks(const std::string& mapping) {
    Reader reader(mapping);
    std::vector<Block> blocks;
    bool good = reader.skip("(") && reader.skip("vector");
    while (good && reader.skip(",")) {
        good = read_block(&reader, &blocks.emplace_back());
    }
    if (!good || blocks.empty() || !reader.skip(")") || !reader.at_end()) {
        fail(SYNCLINE_ERR_PROTOCOL, "the launcher's mapping of processes to nodes, '{}', makes no sense", mapping);
    }
    return blocks;
}

std::vector<uint32_t> nodes_of_ranks(const std::vector<Block>& blocks, uint32_t ranks) {
    std::vector<uint32_t> nodes;
    while (nodes.size() < ranks) {
        for (const Block& block : blocks) {
            for (uint32_t node = 0; node < block.nodes && nodes.size() < ranks; node++) {
                for (uint32_t i = 0; i < block.each && nodes.size() < ranks; i++) {
                    nodes.push_back(block.first + node);
                }
            }
        }
    }
    return nodes;
}

}  // namespace

std::vector<uint32_t> ranks_beside(const std::string& mapping, uint32_t rank, uint32_t ranks) {
    const std::vector<uint32_t> nodes = nodes_of_ranks(read_blocks(mapping), ranks);
    std::vector<uint32_t> here;
    for (uint32_t other = 0; other < ranks; other++) {
        if (nodes[other] == nodes.at(rank)) {
            here.push_back(other);
        }
    }
    return here;
}

}  // namespace syncline
