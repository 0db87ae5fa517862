// SPDX-License-Identifier: BSD-3-Clause
// The firmware as the kernel runs it: loaded with the configuration of a job, and called through BPF_PROG_TEST_RUN.
#pragma once

#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "target_under_test.h"

struct nic_bpf;

namespace syncline::test {

class BpfTarget final : public TargetUnderTest {
  public:
    // Throws Failure with the end of the verifier's log. `loaded` is the program of an earlier NIC with the same number
    // of places and packets of the same length, which this one uses from another place; NULL: the kernel verifies a new
    // one. The latest NIC of a program executes frames.
    explicit BpfTarget(const TargetShape& shape, std::shared_ptr<nic_bpf> loaded = nullptr);
    ~BpfTarget() override;

    // Returns why this machine or user cannot load the program, or "".
    static std::string obstacle();

    int execute(std::vector<uint8_t>& frame) override;
    std::span<uint8_t> memory(const SegmentShape& segment) override;
    fw_completion& completion(uint32_t port, uint32_t index) override;
    fw_image& image(uint32_t port, uint32_t index) override;
    fw_port& port(uint32_t port) override;
    std::span<fw_barrier> barriers() override {
        return {reinterpret_cast<fw_barrier*>(tables_[2].at), SLW_BARRIERS_MAX};
    }
    fw_counters counters() override;
    uint16_t& buffer(uint32_t port, uint32_t index) override;
    std::vector<fw_source> sources() override;
    void write_source(uint32_t rank, const fw_source& source) override;
    fw_rows& rows() override { return *reinterpret_cast<fw_rows*>(tables_[4].at); }
    void set_segment(const SegmentShape& segment) override;

    // Returns whether this kernel can make frames of several parts that are shorter than first_part_max.
    static bool chooses_first_part();

    const std::shared_ptr<nic_bpf>& program() const { return skeleton_; }
    int program_fd() const;

    const std::string& verifier_log() const { return log_; }
    uint64_t verified_instructions() const;  // instructions that the verifier walked; 0: it did not say
    double load_ms() const { return load_ms_; }

  protected:
    fw_slot read_slot(uint32_t row, uint32_t slot) override;
    void write_slot(uint32_t row, uint32_t slot, const fw_slot& record) override;

  private:
    struct Mapping {
        UniqueFd fd;
        uint8_t* at = nullptr;
        size_t bytes = 0;
    };

    void load();
    void size_tables();
    uint32_t placed(uint32_t of_place, uint32_t index) const;
    Mapping inner_array(const char* name, uint32_t value_bytes, uint32_t entries, uint32_t flags);
    void create_tables();
    void install_tables();
    void create_memory();
    void create_completions_and_images();
    void create_wakes();
    void create_rows();

    std::shared_ptr<nic_bpf> skeleton_;
    std::vector<Mapping> tables_;       // sources, ports, barriers, directory, count of rows
    std::vector<UniqueFd> chunks_;      // of rows
    std::vector<Mapping> memories_;     // as shape_.segments
    std::vector<Mapping> completions_;  // by port
    std::vector<Mapping> images_;       // by port
    std::vector<UniqueFd> wakes_;
    std::string log_;
    double load_ms_ = 0;
};

}  // namespace syncline::test
