// SPDX-License-Identifier: BSD-3-Clause
// The NIC programs of a daemon, and which of them a job's node gets.
//
// A resident daemon keeps one for packets as long as its interface carries. That is loaded when the daemon starts, or
// with the first such job behind a change of the interface, and jobs bring their tables alone. A private daemon loads
// one with a place for each node of its job, if these share the machine, and the launcher hands that on to the others.
// All other jobs get a program of their own, which ends with them: those with packets of another length, or for which
// no place is left.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "daemon/executors/nic_program.h"
#include "job/job.h"

namespace syncline {

class XdpDispatcher;

struct NicPlace {
    std::shared_ptr<XdpDispatcher> dispatcher;
    std::shared_ptr<NicProgram> program;
    uint32_t place = 0;
};

class NicPrograms {
  public:
    // `resident`: of a daemon whose jobs come and go.
    explicit NicPrograms(bool resident) : resident_(resident) {}

    // The daemon's jobs will be over that interface, with packets of that length: loads the program. Throws Failure.
    void prepare(const std::string& interface, uint32_t packet_max);
    // For the job's node, which its NicPlace's owner has to leave(). Throws Failure. One thread at a time, as for the
    // others.
    NicPlace place_for(const Job& job);

    // Another daemon's program, for the nodes of the job to come. False: there is one already. Throws Failure.
    bool use(const LentProgram& lent, std::vector<UniqueFd> fds);
    // The program that nodes of the job share, and its dispatcher, for use() by another daemon; false: there is none.
    bool lend(LentProgram* lent, std::vector<int>* fds) const;

  private:
    NicPlace place_of_node(const Job& job);
    void keep(const NicProgram::Kind& kind);

    const bool resident_;
    NicProgram::Kind usual_kind_ = {};
    std::shared_ptr<NicProgram> usual_;
    std::shared_ptr<NicProgram> shared_;       // by the nodes of a job
    std::vector<UniqueFd> shared_dispatcher_;  // its parts
};

}  // namespace syncline
