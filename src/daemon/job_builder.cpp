// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/job_builder.h"

#include <algorithm>
#include <exception>

#include "base/check.h"
#include "base/failure.h"

namespace syncline {

JobBuilder::JobBuilder() : built_(make_event()) {
    if (!built_) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "synclined cannot create an eventfd");
    }
}

void JobBuilder::build(Outcome* outcome) {
    try {
        outcome->job->build();
    } catch (const Failure& failure) {
        outcome->status = failure.status();
        outcome->sentence = failure.what();
    } catch (const std::exception& exception) {
        outcome->status = SYNCLINE_ERR_NO_MEMORY;
        outcome->sentence = exception.what();
    }
}

void JobBuilder::begin_next() {
    if (orders_.empty() || orders_.front()->thread) {
        return;
    }
    Order* const order = orders_.front().get();
    SYNCLINE_ASSERT(order->preparation != nullptr || order->outcome.job != nullptr, "nothing to build");
    order->thread = run_in_background([this, order] {
        order->preparation ? order->preparation() : build(&order->outcome);
        order->is_built.store(true, std::memory_order_release);
        signal_event(built_.get());
    });
}

void JobBuilder::add(int connection, std::shared_ptr<NodeJob> job) {
    orders_.push_back(std::make_unique<Order>());
    orders_.back()->outcome.connection = connection;
    orders_.back()->outcome.job = std::move(job);
    begin_next();
}

void JobBuilder::add_first(std::function<void()> preparation) {
    orders_.push_back(std::make_unique<Order>());
    orders_.back()->preparation = std::move(preparation);
    begin_next();
}

void JobBuilder::forget(int connection) {
    for (const auto& order : orders_) {
        if (order->outcome.connection == connection) {
            order->outcome.connection = -1;
        }
    }
    std::erase_if(orders_, [](const auto& order) {
        return order->outcome.connection < 0 && !order->preparation && !order->thread;
    });
}

std::optional<JobBuilder::Outcome> JobBuilder::take() {
    if (orders_.empty() || !orders_.front()->is_built.load(std::memory_order_acquire)) {
        return std::nullopt;
    }
    orders_.front()->thread.reset();  // it is about to end
    Outcome outcome = std::move(orders_.front()->outcome);
    orders_.pop_front();
    begin_next();
    return outcome;
}

bool JobBuilder::has(uint32_t job) const {
    return std::any_of(orders_.begin(), orders_.end(),
                       [&](const auto& order) { return order->outcome.job && order->outcome.job->id() == job; });
}

uint32_t JobBuilder::count_of(uid_t user) const {
    return static_cast<uint32_t>(std::count_if(orders_.begin(), orders_.end(), [&](const auto& order) {
        return order->outcome.job && order->outcome.job->job().spec.owner_uid == user;
    }));
}

}  // namespace syncline
