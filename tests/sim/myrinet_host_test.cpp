// SPDX-License-Identifier: BSD-3-Clause
// Method: the two threads of a simulated host against times worked out by hand, in microseconds.
#include "sim/models/myrinet/host.h"

#include <gtest/gtest.h>

namespace syncline::sim {
namespace {

MyrinetParameters host_of(ServerWait wait, uint64_t cpus) {
    MyrinetParameters parameters;
    parameters.wait = wait;
    parameters.cpus = cpus;
    parameters.interrupt_ns = 40'000;
    parameters.spin_ns = 100'000;
    parameters.spin_check_ns = 1'000;
    return parameters;
}

Time us(double microseconds) {
    return from_ns(microseconds * 1000);
}

// When the server has served what came at 200, with 5 more, and at 210, and when the main thread has done its 300.
struct Times {
    double first = 0, second = 0, main = 0;
};

Times times_of(ServerWait wait, uint64_t cpus) {
    const MyrinetParameters parameters = host_of(wait, cpus);
    Kernel kernel;
    MyrinetHost host(&kernel, parameters);
    Worker elsewhere(&kernel);
    Times times;
    host.run(us(300), [&] { times.main = to_us(kernel.now()); });
    elsewhere.add(us(200), [&] {
        host.serve(us(10), [&] { host.serve_on(us(5), [&] { times.first = to_us(kernel.now()); }); });
    });
    elsewhere.add(us(10), [&] { host.serve(us(10), [&] { times.second = to_us(kernel.now()); }); });
    kernel.run();
    return times;
}

TEST(MyrinetHost, APollingServerStartsAtOnce) {
    const Times times = times_of(ServerWait::kPoll, 2);
    EXPECT_DOUBLE_EQ(times.first, 215);
    EXPECT_DOUBLE_EQ(times.second, 225);
    EXPECT_DOUBLE_EQ(times.main, 300);
}

TEST(MyrinetHost, OneInterruptServesWhatComesMeanwhile) {
    const Times times = times_of(ServerWait::kBlock, 2);
    EXPECT_DOUBLE_EQ(times.first, 255);
    EXPECT_DOUBLE_EQ(times.second, 265);
    EXPECT_DOUBLE_EQ(times.main, 300);
}

TEST(MyrinetHost, OnOneCpuTheMainThreadStandsStillMeanwhile) {
    EXPECT_DOUBLE_EQ(times_of(ServerWait::kBlock, 1).main, 300 + 40 + 10 + 10 + 5);
    EXPECT_DOUBLE_EQ(times_of(ServerWait::kSpinBlock, 1).main, 300 + 40 + 1 + 10 + 1 + 10 + 5 + 100) << "and spins";
}

TEST(MyrinetHost, AServerThatSpinsLongEnoughTakesNoInterrupt) {
    const MyrinetParameters parameters = host_of(ServerWait::kSpinBlock, 2);
    Kernel kernel;
    MyrinetHost host(&kernel, parameters);
    Worker elsewhere(&kernel);
    std::vector<double> served;
    for (const double pause : {100.0, 111.0, 112.0}) {  // 100, 211, 323: the second comes 100 after the first is served
        elsewhere.add(us(pause), [&] { host.serve(us(10), [&] { served.push_back(to_us(kernel.now())); }); });
    }
    kernel.run();
    EXPECT_EQ(served, (std::vector<double>{111, 222, 323 + 40 + 1 + 10}));
}

TEST(SimWorker, GoesOnWhereItWasHeldUp) {
    Kernel kernel;
    Worker worker(&kernel), elsewhere(&kernel);
    std::vector<double> ends;
    worker.add(us(10), [&] { ends.push_back(to_us(kernel.now())); });
    worker.add(us(5), [&] { ends.push_back(to_us(kernel.now())); });
    elsewhere.add(us(4), [&] { worker.hold(); });
    elsewhere.add(us(20), [&] { worker.release(); });
    elsewhere.add(us(7), [&] { worker.hold(); });
    elsewhere.add(us(1), [&] { worker.hold(); });
    elsewhere.add(us(1), [&] { worker.release(); });
    kernel.run();
    EXPECT_EQ(ends, (std::vector<double>{30, 37}));
}

TEST(SimWorker, WhatIsAddedNextComesBeforeWhatWaits) {
    Kernel kernel;
    Worker worker(&kernel);
    std::vector<double> ends;
    worker.add(us(10), [&] { worker.add_next(us(3), [&] { ends.push_back(to_us(kernel.now())); }); });
    worker.add(us(5), [&] { ends.push_back(to_us(kernel.now())); });
    kernel.run();
    EXPECT_EQ(ends, (std::vector<double>{13, 18}));
}

}  // namespace
}  // namespace syncline::sim
