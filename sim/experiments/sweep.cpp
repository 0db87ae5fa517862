// SPDX-License-Identifier: BSD-3-Clause
#include "sim/experiments/sweep.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "base/failure.h"
#include "sim/experiments/models.h"

namespace syncline::sim {

namespace {

// A refused machine is a result, too; any other failure ends the sweep.
void run_point(const std::string& model, Point* point) {
    try {
        point->results = make_model(model, point->values)->run();
    } catch (const Failure& failure) {
        if (failure.status() != SYNCLINE_ERR_INVALID) {
            throw;
        }
        point->refused = failure.what();
    }
}

}  // namespace

std::vector<Point> points_of(const Experiment& experiment) {
    std::vector<Point> points;
    for (Values& values : experiment.points()) {
        Point point;
        point.key = experiment.model;
        for (const auto& [key, value] : values) {
            point.key += " " + key + "=" + text_of(value);
        }
        point.values = std::move(values);
        points.push_back(std::move(point));
    }
    return points;
}

void run_points(const std::string& model, std::vector<Point>* points, unsigned threads,
                const std::function<void(const Point&)>& done) {
    std::atomic<size_t> next = 0;
    std::mutex mutex;
    std::exception_ptr failed;
    const auto work = [&] {
        for (size_t i = next++; i < points->size(); i = next++) {
            Point& point = (*points)[i];
            if (point.results || !point.refused.empty()) {
                continue;
            }
            try {
                run_point(model, &point);
                const std::lock_guard lock(mutex);
                done(point);
            } catch (...) {
                const std::lock_guard lock(mutex);
                failed = std::current_exception();
                next = points->size();
            }
        }
    };
    std::vector<std::thread> helpers;
    for (unsigned i = 1; i < std::max(threads, 1u); i++) {
        helpers.emplace_back(work);
    }
    work();
    for (std::thread& helper : helpers) {
        helper.join();
    }
    if (failed) {
        std::rethrow_exception(failed);
    }
}

}  // namespace syncline::sim
