// SPDX-License-Identifier: BSD-3-Clause
// Collective calls of the message layer, in each scope and in groups, against sequential computations. A number that a
// process contributes depends on its number alone, so each process computes all results by itself.
#include <sys/mman.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "check.h"

using namespace armci_test;

namespace {

using Members = std::vector<int>;

Members members_of_scope(int scope) {
    Members members;
    for (int process = 0; process < size(); process++) {
        const bool master =
            armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, armci_domain_id(ARMCI_DOMAIN_SMP, process), 0) == process;
        if (scope == SCOPE_ALL || (scope == SCOPE_NODE && ARMCI_Same_node(process) == 1) ||
            (scope == SCOPE_MASTERS && master)) {
            members.push_back(process);
        }
    }
    return members;
}

bool is_in(const Members& members) {
    return std::find(members.begin(), members.end(), me()) != members.end();
}

constexpr int scopes[] = {SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS};
constexpr const char* any_operations[] = {"+", "*", "max", "min", "absmax", "absmin"};
constexpr const char* bit_operations[] = {"or", "band", "&&", "||"};

// Small, of both signs, seldom 0.
template <typename T>
T contribution(int process, int i) {
    return static_cast<T>((process * 7 + i * 5) % 9 - 4);
}

template <typename T>
T magnitude(T value) {
    return value < 0 ? -value : value;
}

template <typename T>
T combine(std::string_view operation, T a, T b) {
    if (operation == "+") {
        return a + b;
    } else if (operation == "*") {
        return a * b;
    } else if (operation == "max") {
        return std::max(a, b);
    } else if (operation == "min") {
        return std::min(a, b);
    } else if (operation == "absmax") {
        return std::max(magnitude(a), magnitude(b));
    } else if (operation == "absmin") {
        return std::min(magnitude(a), magnitude(b));
    }
    if constexpr (std::is_integral_v<T>) {
        return operation == "or"     ? (a | b)
               : operation == "band" ? (a & b)
               : operation == "&&"   ? T(a != 0 && b != 0)
                                     : T(a != 0 || b != 0);
    }
    fail(__FILE__, __LINE__, "no such operation");
}

// Makes the call with this process's numbers; the result is the members' one.
template <typename T>
void check_result(const Members& members, const char* operation, int count, const std::function<void(T*)>& call) {
    std::vector<T> numbers(static_cast<size_t>(count) + 1, T(77));
    for (int i = 0; i < count; i++) {
        numbers[static_cast<size_t>(i)] = contribution<T>(me(), i);
    }
    call(numbers.data());
    for (int i = 0; i < count && is_in(members); i++) {
        T expected = contribution<T>(members[0], i);
        for (size_t member = 1; member < members.size(); member++) {
            expected = combine(operation, expected, contribution<T>(members[member], i));
        }
        CHECK_THAT(numbers[static_cast<size_t>(i)] == expected, "{} of {} members, number {} of {}: {}, expected {}",
                   operation, members.size(), i, count, numbers[static_cast<size_t>(i)], expected);
    }
    CHECK(numbers[static_cast<size_t>(count)] == T(77));
}

// A call for one type of numbers, of all processes or of those of the node.
template <typename T>
using Of = void (*)(T*, int, char*);

template <typename T>
void check_type(int type, Of<T> all, Of<T> node) {
    const Members everyone = members_of_scope(SCOPE_ALL), here = members_of_scope(SCOPE_NODE);
    std::vector<const char*> operations(std::begin(any_operations), std::end(any_operations));
    if (std::is_integral_v<T>) {
        operations.insert(operations.end(), std::begin(bit_operations), std::end(bit_operations));
    }
    for (const char* const operation : operations) {
        check_result<T>(everyone, operation, 7, [=](T* numbers) { all(numbers, 7, text(operation)); });
        check_result<T>(here, operation, 5, [=](T* numbers) { node(numbers, 5, text(operation)); });
        for (const int scope : scopes) {
            check_result<T>(members_of_scope(scope), operation, 3,
                            [=](T* numbers) { armci_msg_gop_scope(scope, numbers, 3, text(operation), type); });
        }
    }
    for (const int count : {0, 1, 3000}) {  // longer than a cell
        check_result<T>(everyone, "+", count, [=](T* numbers) { all(numbers, count, text("+")); });
    }
}

}  // namespace

void run_operations() {
    check_type<int>(ARMCI_INT, armci_msg_igop, armci_msg_clus_igop);
    check_type<long>(ARMCI_LONG, armci_msg_lgop, armci_msg_clus_lgop);
    check_type<long long>(ARMCI_LONG_LONG, armci_msg_llgop, armci_msg_clus_llgop);
    check_type<float>(ARMCI_FLOAT, armci_msg_fgop, armci_msg_clus_fgop);
    check_type<double>(ARMCI_DOUBLE, armci_msg_dgop, armci_msg_clus_dgop);
    // The first member alone gets the result of a reduction.
    for (const int scope : scopes) {
        const Members members = members_of_scope(scope);
        std::vector<long> numbers = {me() + 1L, 10L * me()};
        armci_msg_reduce_scope(scope, numbers.data(), 2, text("+"), ARMCI_LONG);
        if (me() == members[0]) {
            long first = 0, second = 0;
            for (const int member : members) {
                first += member + 1;
                second += 10L * member;
            }
            CHECK(numbers[0] == first && numbers[1] == second);
        }
    }
    double most = me();
    armci_msg_reduce(&most, 1, text("max"), ARMCI_DOUBLE);
    CHECK(me() != 0 || most == size() - 1);
}

namespace {

// Each spelling, and the operation that it names.
constexpr std::pair<const char*, const char*> spellings[] = {
    {"+", "+"},   {"*", "*"},     {"max", "max"},       {"min", "min"}, {"absmax", "absmax"},
    {"or", "or"}, {"|", "or"},    {"bor", "or"},        {"&", "band"},  {"band", "band"},
    {"&&", "&&"}, {"land", "&&"}, {"absmin", "absmin"}, {"||", "||"},   {"lor", "||"},
};

// Text of which nothing lies behind the last byte: the page that follows cannot be read.
class Unterminated {
  public:
    explicit Unterminated(const std::string& text)
        : pages_(static_cast<char*>(
              ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))),
          at_(pages_ + page - text.size()) {
        CHECK(pages_ != MAP_FAILED && ::mprotect(pages_ + page, page, PROT_NONE) == 0);
        std::memcpy(at_, text.data(), text.size());
    }
    ~Unterminated() { ::munmap(pages_, 2 * page); }
    Unterminated(const Unterminated&) = delete;
    Unterminated& operator=(const Unterminated&) = delete;
    char* text() const { return at_; }

  private:
    static constexpr size_t page = 64 << 10;
    char* const pages_;
    char* const at_;
};

void check_spelling(const std::string& written, const char* means) {
    const Members everyone = members_of_scope(SCOPE_ALL);
    const Unterminated operation(written);
    check_result<long>(everyone, means, 3, [&](long* numbers) { armci_msg_lgop(numbers, 3, operation.text()); });
    check_result<int>(everyone, means, 3,
                      [&](int* numbers) { armci_msg_gop_scope(SCOPE_ALL, numbers, 3, operation.text(), ARMCI_INT); });
    if (std::find(std::begin(any_operations), std::end(any_operations), std::string_view(means)) !=
        std::end(any_operations)) {
        check_result<double>(everyone, means, 3,
                             [&](double* numbers) { armci_msg_dgop(numbers, 3, operation.text()); });
    }
}

}  // namespace

// Fortran pads with blanks and ends no text, and a single character has none behind it. A "&" or "|" may be the first
// of two.
void run_spellings() {
    for (const auto& [written, means] : spellings) {
        const std::string text = written;
        check_spelling(text + "     ", means);
        check_spelling(text + "zz", means);
        if (text != "&" && text != "|") {
            check_spelling(text, means);
        }
    }
    const Unterminated least("min"), greatest("max  ");
    int number = me();
    armci_msg_sel(&number, sizeof(number), least.text(), ARMCI_INT, 1);
    CHECK(number == 0);
    number = me();
    armci_msg_sel(&number, sizeof(number), greatest.text(), ARMCI_INT, 1);
    CHECK(number == size() - 1);
}

namespace {

void broadcast_from(int root, int bytes, const Members& members, const std::function<void(void*)>& call) {
    std::vector<uint8_t> buffer(static_cast<size_t>(bytes) + 1, static_cast<uint8_t>(me() + 1));
    call(buffer.data());
    const int expected = is_in(members) ? root + 1 : me() + 1;
    CHECK(std::all_of(buffer.begin(), buffer.end() - 1, [=](uint8_t one) { return one == expected; }));
    CHECK(buffer.back() == static_cast<uint8_t>(me() + 1));
}

}  // namespace

void run_broadcasts() {
    const Members everyone = members_of_scope(SCOPE_ALL), here = members_of_scope(SCOPE_NODE);
    for (int root = 0; root < size(); root++) {
        for (const int bytes : {0, 1, 4096, 100'000}) {
            broadcast_from(root, bytes, everyone, [=](void* at) { armci_msg_bcast(at, bytes, root); });
            broadcast_from(root, bytes, everyone, [=](void* at) { armci_msg_brdcst(at, bytes, root); });
        }
    }
    for (const int scope : scopes) {
        const Members members = members_of_scope(scope);
        for (const int root : members) {
            if (is_in(members)) {
                broadcast_from(root, 3000, members, [=](void* at) { armci_msg_bcast_scope(scope, at, 3000, root); });
            }
        }
    }
    broadcast_from(here[0], 5000, here, [](void* at) { armci_msg_clus_brdcst(at, 5000); });
}

// Some contribute: the least or the greatest first number takes its companions along.
void run_selection() {
    for (int turn = 0; turn < 8; turn++) {
        const bool least = turn % 2 == 0;
        const auto contributes = [=](int process) { return process == turn % size() || (process + turn) % 3 == 0; };
        const auto first = [=](int process) { return (process * 5 + turn * 3) % 11 - 5; };
        int chosen = -1;
        for (int process = 0; process < size(); process++) {
            if (contributes(process) &&
                (chosen < 0 || (least ? first(process) < first(chosen) : first(process) > first(chosen)))) {
                chosen = process;
            }
        }
        int numbers[3] = {first(me()), me(), 100 + me()};
        armci_msg_sel(numbers, sizeof(numbers), text(least ? "min" : "max"), ARMCI_INT, contributes(me()) ? 1 : 0);
        CHECK_THAT(numbers[0] == first(chosen) && numbers[1] == chosen && numbers[2] == 100 + chosen,
                   "turn {}: {} of {}", turn, numbers[0], numbers[1]);
        // Data that are no whole numbers, as Global Arrays has them; those behind them stay.
        struct [[gnu::packed]] {
            double first;
            uint8_t process[5], stays;
        } mixed = {0.5 * first(me()), {}, static_cast<uint8_t>(me())};
        std::memset(mixed.process, me(), sizeof(mixed.process));
        armci_msg_sel_scope(SCOPE_ALL, &mixed, sizeof(mixed) - 1, text(least ? "min" : "max"), ARMCI_DOUBLE,
                            contributes(me()) ? 1 : 0);
        CHECK(mixed.process[0] == chosen && mixed.process[4] == chosen && mixed.stays == me());
    }
}

// The tree of each scope joins all its members, and addresses come to all.
void run_scopes() {
    for (const int scope : scopes) {
        const Members members = members_of_scope(scope);
        int root = -2, up = -2, left = -2, right = -2;
        armci_msg_bintree(scope, &root, &up, &left, &right);
        CHECK(root == members[0]);
        std::vector<int> parents(static_cast<size_t>(size()), 0), children = parents;
        if (is_in(members)) {
            CHECK((up == -1) == (me() == root));
            parents[static_cast<size_t>(me())] = up + 1;
            for (const int child : {left, right}) {
                if (child >= 0) {
                    children[static_cast<size_t>(child)] = me() + 1;
                }
            }
        }
        armci_msg_igop(parents.data(), size(), text("+"));
        armci_msg_igop(children.data(), size(), text("max"));
        for (const int member : members) {  // each of a scope knows its neighbours of that scope only
            CHECK(parents[static_cast<size_t>(member)] == children[static_cast<size_t>(member)]);
        }
    }
    std::vector<void*> addresses(static_cast<size_t>(size()));
    addresses[static_cast<size_t>(me())] = reinterpret_cast<void*>(0x7fff00000000 + me());
    armci_exchange_address(addresses.data(), size());
    for (int process = 0; process < size(); process++) {
        CHECK(addresses[static_cast<size_t>(process)] == reinterpret_cast<void*>(0x7fff00000000 + process));
    }
}

namespace {

template <typename T>
void check_group_type(ARMCI_Group* group, const Members& mine, void (*call)(T*, int, char*, ARMCI_Group*)) {
    for (const char* const operation : any_operations) {
        check_result<T>(mine, operation, 6, [=](T* numbers) { call(numbers, 6, text(operation), group); });
    }
}

}  // namespace

// Both halves at once, each with its own.
void run_group_messages() {
    Members mine, here;
    for (int process = me() % 2; process < size(); process += 2) {
        mine.push_back(process);
        if (ARMCI_Same_node(process) == 1) {
            here.push_back(process);
        }
    }
    const int count = static_cast<int>(mine.size());
    ARMCI_Group group = -1;
    ARMCI_Group_create(count, mine.data(), &group);
    check_group_type<int>(&group, mine, armci_msg_group_igop);
    check_group_type<long>(&group, mine, armci_msg_group_lgop);
    check_group_type<long long>(&group, mine, armci_msg_group_llgop);
    check_group_type<float>(&group, mine, armci_msg_group_fgop);
    check_group_type<double>(&group, mine, armci_msg_group_dgop);
    check_result<long>(mine, "+", 900, [&](long* numbers) {
        armci_msg_group_gop_scope(SCOPE_ALL, numbers, 900, text("+"), ARMCI_LONG, &group);
    });
    check_result<long>(here, "max", 9, [&](long* numbers) {
        armci_msg_group_gop_scope(SCOPE_NODE, numbers, 9, text("max"), ARMCI_LONG, &group);
    });
    for (const int root : mine) {  // a number among all
        broadcast_from(root, 2000, mine,
                       [&](void* at) { armci_msg_group_bcast_scope(SCOPE_ALL, at, 2000, root, &group); });
    }
    broadcast_from(here[0], 2000, here,
                   [&](void* at) { armci_grp_clus_brdcst(at, 2000, here[0], static_cast<int>(here.size()), &group); });
    std::vector<void*> addresses(mine.size());
    int rank = -1;
    (void)ARMCI_Group_rank(&group, &rank);
    addresses[static_cast<size_t>(rank)] = reinterpret_cast<void*>(0x7fff00000000 + me());
    armci_exchange_address_grp(addresses.data(), count, &group);
    armci_msg_group_barrier(&group);
    for (size_t i = 0; i < mine.size(); i++) {
        CHECK(addresses[i] == reinterpret_cast<void*>(0x7fff00000000 + mine[i]));
    }
    ARMCI_Group_free(&group);
}
