// SPDX-License-Identifier: BSD-3-Clause
// The NIC programs of a daemon, and which of them a job's node gets.
//
// A resident daemon keeps a program for packets of the length that its interface carries. It is loaded when the daemon
// starts, or with the first such job after a change of the interface; jobs bring only their tables. A private daemon
// loads a program with a place for each node of its job, if these share the machine, and the launcher hands it on to
// the other daemons. All other jobs get a program of their own, which ends with them: jobs whose packets have another
// length, or for which no place is left.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "daemon/targets/nic_program.h"
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
    // `resident`: the daemon's jobs come and go.
    explicit NicPrograms(bool resident) : resident_(resident) {}

    // Loads the program for jobs over that interface, with packets of that length. Throws Failure.
    void prepare(const std::string& interface, uint32_t packet_max);
    // Returns the place for the job's node; the NicPlace's owner has to leave() it. Throws Failure. One thread at a
    // time, as for the other calls.
    NicPlace place_for(const Job& job);

    // Uses another daemon's program for the nodes of the job to come. Returns false if there is a program already.
    // Throws Failure.
    bool use(const LentProgram& lent, std::vector<UniqueFd> fds);
    // Stores the program that nodes of the job share, and its dispatcher, for use() by another daemon; false: there is
    // none.
    bool lend(LentProgram* lent, std::vector<int>* fds) const;

  private:
    NicPlace place_of_node(const Job& job);
    void keep(const NicProgram::Kind& kind);

    const bool resident_;
    NicProgram::Kind usual_kind_ = {};
    std::shared_ptr<NicProgram> usual_;
    std::shared_ptr<NicProgram> shared_;       // by the nodes of a job
    std::vector<UniqueFd> shared_dispatcher_;  // the shared dispatcher's parts
};

}  // namespace syncline
