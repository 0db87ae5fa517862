// SPDX-License-Identifier: BSD-3-Clause
#include "actor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/hash.h"

namespace syncline::dsm_test {

Mirror::Range Mirror::step() {
    const uint64_t place[] = {seed_, number_, ++version_};
    Prng prng(hash_of(place));
    const uint64_t all = variable_.elements;
    const uint64_t counts[] = {1, all, 1 + prng.below(all)};
    const auto count = static_cast<uint32_t>(counts[prng.below(3)]);
    const auto first = static_cast<uint32_t>(prng.below(all - count + 1));
    for (uint32_t i = first; i < first + count; i++) {
        const uint64_t value = prng.next();
        if (value >> 62 != 0) {  // some are written and stay as they were
            std::memcpy(element(i), &value, variable_.element_bytes);
        }
    }
    return {first, count};
}

Actor::Actor(const Program* program, uint32_t number, Machine* machine)
    : program_(program),
      number_(number),
      machine_(machine),
      prng_(program->seed() * 1000 + number),
      heard_(program->rumours().size()),
      seen_(program->guarded().size()),
      changes_(program->guarded().size()) {
    for (uint32_t i = 0; i < program->variables().size(); i++) {
        mirrors_.emplace_back(program->seed(), i, program->variables()[i]);
    }
    for (size_t i = number; i < program->tokens().size(); i += program->size().actors) {
        pocket_.push_back(token_of(program->tokens()[i], 0));
    }
}

void Actor::wrong(const std::string& what) {
    machine_->wrong(fmt::format("actor {}, operation {} of {}: {}", number_, at_, program_->of(number_).size(), what));
    std::abort();
}

void Actor::run() {
    const std::vector<Operation>& operations = program_->of(number_);
    for (at_ = 0; at_ < operations.size(); at_++) {
        execute(operations[at_]);
    }
}

void Actor::execute(const Operation& operation) {
    const uint32_t what = operation.what;
    switch (operation.step) {
        case Step::kRead:
            read(what, operation.value);
            break;
        case Step::kWrite:
            write(what, operation.value);
            break;
        case Step::kFind:
        case Step::kChange:
            use_guarded(program_->guarded()[what], what, operation.step == Step::kChange);
            break;
        case Step::kUseToken:
            if (!pocket_.empty()) {
                use_token(&pocket_[prng_.below(pocket_.size())]);
            }
            break;
        case Step::kGive:
            give(program_->box(what));
            break;
        case Step::kGiveAll:
            while (!pocket_.empty()) {
                give(program_->box(what));
            }
            break;
        case Step::kTake:
            take(program_->box(what));
            break;
        case Step::kBegin:
            write(program_->rumours()[what], operation.value);
            heard_[what] = operation.value;
            break;
        case Step::kHear:
            hear(what, operation.value);
            break;
        case Step::kTally:
            for (size_t i = 0; i < changes_.size(); i++) {
                store_word(program_->tally(number_) + i * 8, changes_[i]);
            }
            break;
        case Step::kCheckAll:
            check_all();
            break;
        default:
            execute_synchronisation(operation);
    }
}

void Actor::execute_synchronisation(const Operation& operation) {
    const uint32_t what = operation.what;
    switch (operation.step) {
        case Step::kLock:
            machine_->lock(what);
            break;
        case Step::kTryLock:
            at_ += machine_->try_lock(what) ? 0 : operation.value;
            break;
        case Step::kUnlock:
            machine_->unlock(what);
            break;
        case Step::kSetFlag:
            machine_->set_flag(program_->streams()[what].flag, operation.value);
            break;
        case Step::kWaitFlag: {
            const Program::Stream& stream = program_->streams()[what];
            const uint64_t seen = machine_->wait_for_flag(stream.flag, operation.value);
            if (seen < operation.value || seen > stream.value) {
                wrong(fmt::format("flag {} is {}, and not {} to {}", stream.flag, seen, operation.value, stream.value));
            }
            break;
        }
        case Step::kPut:
        case Step::kPutAndAll:
            put(operation);
            break;
        case Step::kGet:
            get(program_->pools()[what]);
            break;
        case Step::kPrefetch:
            machine_->prefetch(uint64_t{what} * 4096, operation.value / 2 * 4096, operation.value % 2 != 0);
            break;
        case Step::kCompute:
            machine_->compute();
            break;
        default:
            machine_->barrier();
    }
}

void Actor::load(const Variable& variable, Mirror::Range range, uint8_t* to) {
    if (variable.is_dense()) {
        machine_->load(variable.at + uint64_t{range.first} * variable.stride, to, range.count * variable.element_bytes);
        return;
    }
    for (uint32_t i = 0; i < range.count; i++) {
        machine_->load(variable.at + uint64_t{range.first + i} * variable.stride,
                       to + uint64_t{i} * variable.element_bytes, variable.element_bytes);
    }
}

void Actor::store(Mirror* mirror, Mirror::Range range) {
    const Variable& variable = mirror->variable();
    const uint64_t at = variable.at + uint64_t{range.first} * variable.stride;
    if (variable.is_dense()) {
        machine_->store(at, mirror->element(range.first), range.count * variable.element_bytes);
        return;
    }
    for (uint32_t i = 0; i < range.count; i++) {
        machine_->store(at + uint64_t{i} * variable.stride, mirror->element(range.first + i), variable.element_bytes);
    }
}

void Actor::read(uint32_t variable, uint64_t version) {
    Mirror& mirror = mirrors_[variable];
    if (version < mirror.version() || version > program_->version_max()) {
        wrong(fmt::format("variable {} has version {} after version {}", variable, version, mirror.version()));
    }
    mirror.advance(version);
    const uint32_t all = mirror.variable().elements;
    const auto first = static_cast<uint32_t>(prng_.below(2) == 0 ? 0 : prng_.below(all));
    const Mirror::Range range = {first, first == 0 ? all : 1 + static_cast<uint32_t>(prng_.below(all - first))};
    std::vector<uint8_t> bytes(uint64_t{range.count} * mirror.variable().element_bytes);
    load(mirror.variable(), range, bytes.data());
    const uint8_t* const expected = mirror.element(range.first);
    const auto [found, other] = std::mismatch(bytes.begin(), bytes.end(), expected);
    if (found != bytes.end()) {
        const auto index = static_cast<uint64_t>(found - bytes.begin());
        const uint32_t width = mirror.variable().element_bytes;
        const uint64_t at =
            mirror.variable().at + (range.first + index / width) * mirror.variable().stride + index % width;
        wrong(fmt::format("variable {}, version {}: the byte at {:#x} is {:#04x} and not {:#04x}", variable, version,
                          at, *found, *other));
    }
}

void Actor::write(uint32_t variable, uint64_t version) {
    Mirror& mirror = mirrors_[variable];
    mirror.advance(version - 1);
    const Mirror::Range range = mirror.step();
    if (prng_.below(8) == 0) {  // another value first, which is never to be seen
        const Variable& place = mirror.variable();
        const std::vector<uint8_t> other(place.element_bytes, static_cast<uint8_t>(prng_.next()));
        const uint64_t element = range.first + prng_.below(range.count);
        machine_->store(place.at + element * place.stride, other.data(), place.element_bytes);
    }
    store(&mirror, range);
}

uint64_t Actor::load_word(uint64_t at) {
    uint64_t value = 0;
    machine_->load(at, &value, sizeof(value));
    return value;
}

void Actor::use_guarded(const Program::Guarded& guarded, uint32_t number, bool writes) {
    const uint64_t version = load_word(guarded.version_at);
    if (version < seen_[number]) {
        wrong(fmt::format("variable {} of lock {} is at version {}, and was at {}", guarded.variable, guarded.lock,
                          version, seen_[number]));
    }
    machine_->found(guarded.variable, version);
    read(guarded.variable, version);
    seen_[number] = version + (writes ? 1 : 0);
    if (writes) {
        machine_->writes(guarded.variable, version + 1);
        write(guarded.variable, version + 1);
        store_word(guarded.version_at, version + 1);
        changes_[number]++;
    }
}

void Actor::check_token(uint64_t token, const std::vector<uint32_t>& variables, const char* where) {
    if (std::find(variables.begin(), variables.end(), variable_of(token)) == variables.end()) {
        wrong(fmt::format("{:#x} lies in {}, and is no token of it", token, where));
    }
}

void Actor::use_token(uint64_t* token) {
    read(variable_of(*token), version_of(*token));
    if (prng_.below(2) == 0) {
        ++*token;
        write(variable_of(*token), version_of(*token));
    }
}

// A rumour of an earlier phase says nothing: an actor may be writing its variable now.
void Actor::hear(uint32_t lock, uint64_t phase) {
    for (uint32_t rumour = 0; rumour < heard_.size(); rumour++) {
        const uint64_t version = program_->rumour_version(phase, rumour);
        const uint64_t told = version != 0 ? load_word(program_->told(lock, rumour)) : 0;
        if (told > version) {
            wrong(fmt::format("rumour {} is told at version {} before version {}", rumour, told, version));
        }
        if (version != 0 && told == version) {
            heard_[rumour] = version;
            read(program_->rumours()[rumour], version);
        } else if (version != 0 && heard_[rumour] == version) {
            store_word(program_->told(lock, rumour), version);
        }
    }
}

void Actor::push(uint64_t at, uint64_t token) {
    const uint64_t count = load_word(at);
    store_word(at + 8 + count * 8, token);
    store_word(at, count + 1);
}

// 0: it is empty. No token is 0: variable 0 is a pool's payload, which has a version when it is put.
uint64_t Actor::pop(uint64_t at, size_t count_max) {
    const uint64_t count = load_word(at);
    if (count > count_max) {
        wrong(fmt::format("{} tokens lie at {:#x}, where {} have room", count, at, count_max));
    }
    if (count == 0) {
        return 0;
    }
    const uint64_t token = load_word(at + count * 8);
    store_word(at, count - 1);
    return token;
}

void Actor::give(uint64_t box) {
    if (pocket_.empty()) {
        return;
    }
    std::swap(pocket_[prng_.below(pocket_.size())], pocket_.back());
    push(box, pocket_.back());
    pocket_.pop_back();
}

void Actor::take(uint64_t box) {
    if (const uint64_t token = pop(box, program_->tokens().size()); token != 0) {
        check_token(token, program_->tokens(), "a box");
        pocket_.push_back(token);
    }
}

void Actor::put(const Operation& operation) {
    const Program::Pool& pool = program_->pools()[operation.what];
    machine_->lock(pool.lock);
    push(pool.at, operation.value);
    if (operation.step == Step::kPut) {
        machine_->signal(pool.condition);
    } else {
        machine_->broadcast(pool.condition);
    }
    machine_->unlock(pool.lock);
}

void Actor::get(const Program::Pool& pool) {
    machine_->lock(pool.lock);
    uint64_t token = pop(pool.at, pool.payloads.size());
    while (token == 0) {
        machine_->wait(pool.condition, pool.lock);
        token = pop(pool.at, pool.payloads.size());
    }
    machine_->unlock(pool.lock);
    check_token(token, pool.payloads, "a pool");
    read(variable_of(token), version_of(token));
    write(variable_of(token), version_of(token) + 1);
}

void Actor::check_tokens(std::vector<bool>* found) {
    for (uint32_t lock = 0; lock < program_->size().locks; lock++) {
        const uint64_t count = load_word(program_->box(lock));
        for (uint64_t i = 0; i < std::min<uint64_t>(count, program_->tokens().size()); i++) {
            const uint64_t token = load_word(program_->box(lock) + 8 + i * 8);
            check_token(token, program_->tokens(), "a box at the end");
            if ((*found)[variable_of(token)]) {
                wrong(fmt::format("the token of variable {} is there twice", variable_of(token)));
            }
            (*found)[variable_of(token)] = true;
            read(variable_of(token), version_of(token));
        }
    }
}

void Actor::check_all() {
    for (const uint32_t variable : program_->phased()) {
        read(variable, program_->version(variable));
    }
    for (uint32_t i = 0; i < program_->guarded().size(); i++) {
        uint64_t changes = 0;
        for (uint32_t actor = 0; actor < program_->size().actors; actor++) {
            changes += load_word(program_->tally(actor) + uint64_t{i} * 8);
        }
        const Program::Guarded& guarded = program_->guarded()[i];
        if (const uint64_t version = load_word(guarded.version_at); version != changes) {
            wrong(fmt::format("variable {} of lock {} is at version {} after {} changes", guarded.variable,
                              guarded.lock, version, changes));
        }
        read(guarded.variable, changes);
    }
    std::vector<bool> found(program_->variables().size());
    check_tokens(&found);
    for (const uint32_t variable : program_->tokens()) {
        if (!found[variable]) {
            wrong(fmt::format("the token of variable {} is lost", variable));
        }
    }
}

}  // namespace syncline::dsm_test
