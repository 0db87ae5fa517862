// SPDX-License-Identifier: BSD-3-Clause
// Method: every size, offset and number of the tables in docs/PROTOCOL.md is read from the page and compared with the
// code's own, in both directions: a row too many or too few is as wrong as another number.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include <algorithm>
#include <type_traits>

#include "document.h"
#include "firmware/native.h"
#include "job/job.h"
#include "job/protocol/daemon_protocol.h"
#include "runtime/collective/barrier_words.h"
#include "runtime/collective/job_barrier.h"
#include "tests/folders.h"

using protocol::columns;
using protocol::Field;
using protocol::Layout;
using protocol::layouts;
using protocol::messages;
using protocol::Strings;
using protocol::table;

namespace syncline {
namespace {

const protocol::Document& document() {
    static const protocol::Document page(source_folder() + "/docs/PROTOCOL.md");
    return page;
}

template <typename Member>
Field field_of(const char* name, size_t offset) {
    using Element = std::remove_all_extents_t<Member>;
    constexpr char kind = std::is_class_v<Element>            ? 's'
                          : std::is_same_v<Element, char>     ? 'c'
                          : std::is_floating_point_v<Element> ? 'f'
                          : std::is_signed_v<Element>         ? 'i'
                                                              : 'u';
    return {name, static_cast<long>(offset), sizeof(Member), sizeof(Element), kind};
}

// `name` as the page has it, `member` as the code has it.
#define FIELD_AS(name, type, member) field_of<decltype(type::member)>(name, offsetof(type, member))
#define NESTED(name, type, outer, outer_type, inner) \
    field_of<decltype(outer_type::inner)>(name, offsetof(type, outer) + offsetof(outer_type, inner))
#define FIELD(type, member) FIELD_AS(#member, type, member)

// A structure's members one after the other, whose padding is nothing of the page's.
void expect_layout(const Layout& found, const Layout& expected) {
    EXPECT_EQ(found.name, expected.name);
    EXPECT_EQ(found.bytes, expected.bytes) << found.name;
    EXPECT_EQ(found.fields, expected.fields) << found.name;
}

void expect_layouts(const std::vector<Layout>& found, const std::vector<Layout>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < expected.size(); i++) {
        expect_layout(found[i], expected[i]);
    }
}

// Rows of offset, bytes, name, without a hole: the beginning of the name's cell is the name.
void expect_rows(const std::vector<Strings>& rows, size_t bytes, const std::vector<Field>& expected) {
    ASSERT_EQ(rows.size(), expected.size());
    size_t next = 0;
    for (size_t i = 0; i < rows.size(); i++) {
        EXPECT_EQ(rows[i][0], std::to_string(expected[i].offset)) << rows[i][2];
        EXPECT_EQ(rows[i][1], std::to_string(expected[i].bytes)) << rows[i][2];
        EXPECT_TRUE(rows[i][2].starts_with(expected[i].name)) << rows[i][2];
        EXPECT_EQ(next, static_cast<size_t>(expected[i].offset)) << rows[i][2];
        next += expected[i].bytes;
    }
    EXPECT_EQ(next, bytes);
}

// The page's numbers and names, in two columns of a table, and the code's.
using Names = std::vector<std::pair<uint64_t, std::string>>;
void expect_names(const std::vector<Strings>& rows, const Names& expected) {
    ASSERT_EQ(rows.size(), expected.size());
    for (size_t i = 0; i < rows.size(); i++) {
        EXPECT_EQ(rows[i][0], std::to_string(expected[i].first)) << rows[i][1];
        EXPECT_EQ(rows[i][1], expected[i].second);
    }
}

void expect_text(const std::string& text) {
    EXPECT_NE(document().text().find(text), std::string::npos) << "the page does not say: " << text;
}

}  // namespace

TEST(ProtocolPage, Header) {
    const std::vector<Strings> rows = table(document().section("Header"), "Offset");
    expect_rows(
        rows, sizeof(slw_header),
        {FIELD(slw_header, magic), FIELD(slw_header, version), FIELD(slw_header, kind),
         FIELD_AS("source port", slw_header, source_port), FIELD_AS("source rank", slw_header, source_rank),
         FIELD(slw_header, slot), FIELD(slw_header, status), FIELD(slw_header, job), FIELD(slw_header, sequence),
         FIELD(slw_header, units), FIELD_AS("data length", slw_header, data_length),
         FIELD_AS("target node", slw_header, target_node), FIELD(slw_header, executed), FIELD(slw_header, tag)});
    EXPECT_EQ(rows[0][3], fmt::format("{:#x}", +SLW_MAGIC));
    EXPECT_EQ(rows[1][3], std::to_string(SLW_VERSION));
    EXPECT_EQ(rows[2][3] + rows[2][4], fmt::format("{}{}", +SLW_REQUEST, +SLW_REPLY));
    EXPECT_EQ(rows[9][3], fmt::format("1 to {}", +SLW_UNITS_MAX));
    expect_text(fmt::format("header ({} bytes) | units ({} bytes each)", +SLW_HEADER_BYTES, +SLW_UNIT_BYTES));
    expect_text(fmt::format("is the body, at most {} bytes", +SLW_BODY_MAX));
    expect_text(fmt::format("A packet has at most {} bytes", +SLW_PACKET_MAX));
    expect_text(fmt::format("Every path carries packets of {}\nbytes", +SLW_PACKET_LEAST));
    expect_text(fmt::format("packet_max = min({}, (MTU − 48)", +SLW_PACKET_MAX));
    expect_text(fmt::format("UDP port ({} unless told otherwise", +SLW_DEFAULT_UDP_PORT));
}

TEST(ProtocolPage, Units) {
    expect_rows(table(document().section("Units"), "Offset"), sizeof(slw_unit),
                {FIELD(slw_unit, code), FIELD_AS("port at the target node", slw_unit, port),
                 FIELD_AS("segment of that port", slw_unit, segment),
                 FIELD_AS("offset in the segment, bits 32 to 39", slw_unit, offset_high),
                 FIELD_AS("offset in the segment, bits 0 to 31", slw_unit, offset_low), FIELD(slw_unit, operand)});
    expect_text(fmt::format("bits 0 to 2 + {} × log2(width in bytes) + {:#x} if", 1 << SLW_WIDTH_SHIFT, +SLW_FETCH));
    expect_text(fmt::format("an operation fetches has at most {} units", +SLW_FETCH_UNITS_MAX));
}

TEST(ProtocolPage, BulkOperations) {
    const std::vector<std::pair<std::string, uint32_t>> expected = {
        {"PUT", SLW_PUT},
        {"GET", SLW_GET},
        {"ADD_INT32", SLW_ADD_INT32},
        {"ADD_INT64", SLW_ADD_INT64},
        {"ADD_FLOAT", SLW_ADD_FLOAT},
        {"ADD_DOUBLE", SLW_ADD_DOUBLE},
    };
    const std::vector<Strings> rows = table(document().section("Bulk operations"), "Operation");
    ASSERT_EQ(rows.size(), expected.size());
    for (size_t i = 0; i < rows.size(); i++) {
        EXPECT_EQ(rows[i][0], expected[i].first);
        EXPECT_EQ(rows[i][1], fmt::format("{:#x}", expected[i].second));
        EXPECT_EQ(rows[i][2], fmt::format("{:#x}", expected[i].second | SLW_LIST));
    }
    expect_text(fmt::format("Range: 1 to {} bytes", +SLW_BULK_MAX));
    expect_text(fmt::format("and the sum at most {} |", +SLW_BULK_MAX));
}

// Every row of the list of operations.
TEST(ProtocolPage, Operations) {
    std::vector<Strings> expected;
    const auto add = [&](uint32_t code, const char* name, const std::string& next, bool is_signed) {
        std::string widths;
        for (const uint32_t log2 : {0u, 1u, 2u, 3u, 4u}) {
            const uint32_t form = code | log2 << SLW_WIDTH_SHIFT;
            if (slw_is_atomic(form, slw_traits_of(form))) {
                widths += fmt::format("{}{}", widths.empty() ? "" : ", ", 1 << log2);
            }
            const bool fetches = slw_is_atomic(form | SLW_FETCH, slw_traits_of(form));
            EXPECT_EQ(fetches, log2 >= 2 && slw_is_atomic(form, slw_traits_of(form))) << name << 1 << log2;
        }
        expected.push_back(
            {std::to_string(SYNCLINE_NUMBER_(code)), name, next, widths, is_signed ? "signed" : "unsigned"});
    };
#define ROW(name, NAME, number, forms, how, sign, next) add(SLW_##NAME, #NAME, #next, std::string(#sign) == "int");
    SYNCLINE_OPERATIONS_(ROW)
#undef ROW
    std::vector<Strings> rows = table(document().section("Units"), "Number");
    EXPECT_EQ(rows, expected);
    static constexpr const char* numerals[] = {"six", "seven", "eight", "nine", "ten", "eleven", "twelve"};
    expect_text(fmt::format("of which {} are used", numerals[SLW_OPERATIONS - 6]));
    EXPECT_EQ(SYNCLINE_CODE_(31), 7 | 0x30 << 16);
}

TEST(ProtocolPage, Status) {
    expect_names(table(document().section("Status"), "Value"), {{SLW_OK, "OK"},
                                                                {SLW_BAD_OPERATION, "BAD_OPERATION"},
                                                                {SLW_BAD_LENGTH, "BAD_LENGTH"},
                                                                {SLW_NO_SEGMENT, "NO_SEGMENT"},
                                                                {SLW_PORT_CLOSED, "PORT_CLOSED"},
                                                                {SLW_OUT_OF_BOUNDS, "OUT_OF_BOUNDS"},
                                                                {SLW_MISALIGNED, "MISALIGNED"},
                                                                {SLW_RETRY, "RETRY"},
                                                                {SLW_BAD_PIECES, "BAD_PIECES"},
                                                                {SLW_CLOSED, "CLOSED"}});
}

TEST(ProtocolPage, Counters) {
    Names expected;
    for (uint64_t i = 0; i < FW_COUNTER_COUNT; i++) {
        expected.emplace_back(i, fmt::format("`{}`", fw_counter_names[i]));
    }
    Strings lines = document().section("Validation");
    lines.erase(lines.begin(), std::find(lines.begin(), lines.end(), "| # | Counter | Counts |"));
    expect_names(table(lines, "#"), expected);
}

TEST(ProtocolPage, BarrierMessages) {
    const Strings lines = document().section("Barriers");
    expect_rows(table(lines, "Offset"), sizeof(slw_barrier_message),
                {FIELD(slw_barrier_message, instance), FIELD_AS("source node", slw_barrier_message, source_node),
                 FIELD(slw_barrier_message, place), FIELD(slw_barrier_message, value)});
    const std::vector<Strings> kinds = table(lines, "Kind");
    ASSERT_EQ(kinds.size(), 3u);
    EXPECT_EQ(kinds[0][0], fmt::format("{} ARRIVE", +SLW_ARRIVE));
    EXPECT_EQ(kinds[1][0], fmt::format("{} PULL", +SLW_PULL));
    EXPECT_EQ(kinds[2][0], fmt::format("{} BROKEN", +SLW_BROKEN));
}

TEST(ProtocolPage, Limits) {
    const auto number = [](const std::string& cell) {
        return std::stoul(cell.substr(cell.find_first_of("0123456789")));
    };
    const std::vector<Strings> rows = table(document().section("Limits"), "Subject");
    const std::vector<std::pair<std::string, unsigned long>> expected = {{"operations in a packet", SLW_UNITS_MAX},
                                                                         {"put, get, add", SLW_BULK_MAX},
                                                                         {"pieces of a list", (SLW_BULK_MAX / 9)},
                                                                         {"slots of a connection", 1},
                                                                         {"ports of a node", SLW_PORTS_MAX},
                                                                         {"segments of a port", SLW_SEGMENTS_MAX},
                                                                         {"nodes", SLW_NODES_MAX},
                                                                         {"ranks", SLW_RANKS_MAX}};
    ASSERT_EQ(rows.size(), expected.size());
    for (size_t i = 0; i < rows.size(); i++) {
        EXPECT_EQ(rows[i][0], expected[i].first);
        EXPECT_EQ(number(rows[i][1]), expected[i].second) << rows[i][0];
    }
    EXPECT_TRUE(rows[0][1].ends_with(fmt::format("{} where one fetches", +SLW_FETCH_UNITS_MAX))) << rows[0][1];
    EXPECT_TRUE(rows[2][1].ends_with(fmt::format("{} of a get", SLW_BULK_MAX / 8))) << rows[2][1];
    EXPECT_TRUE(rows[3][1].starts_with(fmt::format("1 to {} ", +SLW_WINDOW_MAX))) << rows[3][1];
    EXPECT_EQ(segment_length_max, 1ull << 40);
}

TEST(ProtocolPage, DaemonMessages) {
    const std::vector<Strings> rows = table(document().section("Framing", 1), "Offset");
    expect_rows(rows, sizeof(MessageHeader),
                {FIELD(MessageHeader, magic), FIELD(MessageHeader, version), FIELD(MessageHeader, type),
                 FIELD(MessageHeader, length), FIELD(MessageHeader, status)});
    EXPECT_EQ(rows[0][2], fmt::format("magic {:#x}", daemon_magic));
    EXPECT_EQ(rows[1][2], fmt::format("version {}", daemon_version));
    EXPECT_NE(rows[3][2].find(fmt::format("at most {} KiB", daemon_message_max / 1024)), std::string::npos);
    Names types;
    const char* const names[] = {"Hello", "CreateJob", "Attach",      "Segment",    "Register", "Deregister", "Detach",
                                 "Stat",  "AgentMode", "Abort",       "Member",     "Rest",     "Offer",      "Events",
                                 "Prove", "Stop",      "LendProgram", "UseProgram", "Trace",    "Traces"};
    const MessageType codes[] = {
        MessageType::kHello,       MessageType::kCreateJob,  MessageType::kAttach, MessageType::kSegment,
        MessageType::kRegister,    MessageType::kDeregister, MessageType::kDetach, MessageType::kStat,
        MessageType::kAgentMode,   MessageType::kAbort,      MessageType::kMember, MessageType::kRest,
        MessageType::kOffer,       MessageType::kEvents,     MessageType::kProve,  MessageType::kStop,
        MessageType::kLendProgram, MessageType::kUseProgram, MessageType::kTrace,  MessageType::kTraces};
    for (size_t i = 0; i < std::size(names); i++) {
        types.emplace_back(static_cast<uint64_t>(codes[i]), names[i]);
    }
    expect_names(table(document().section("Messages"), "Type"), types);
    expect_text(fmt::format("{} a wake ring is among the descriptors, {} sockets are, {} the tables for packets are",
                            +kAttachRing, +kAttachSockets, +kAttachPackets));
}

// The structures in messages have their members one after the other, without a hole.
TEST(ProtocolPage, DaemonStructures) {
    std::vector<Layout> expected = {
        {"AttachRequest",
         sizeof(AttachRequest),
         {FIELD(AttachRequest, token), FIELD(AttachRequest, job), FIELD(AttachRequest, rank)}},
        {"AttachAnswer", sizeof(AttachAnswer), {FIELD(AttachAnswer, flags), FIELD(AttachAnswer, reserved)}},
        {"SegmentRequest", sizeof(SegmentRequest), {FIELD(SegmentRequest, port), FIELD(SegmentRequest, segment)}},
        {"RegisterRequest", sizeof(RegisterRequest), {FIELD(RegisterRequest, bytes)}},
        {"SegmentAnswer",
         sizeof(SegmentAnswer),
         {FIELD(SegmentAnswer, bytes), FIELD(SegmentAnswer, segment), FIELD(SegmentAnswer, reserved)}},
        {"TraceRequest", sizeof(TraceRequest), {FIELD(TraceRequest, events), FIELD(TraceRequest, reserved)}},
        {"TracesRequest",
         sizeof(TracesRequest),
         {FIELD(TracesRequest, job), FIELD(TracesRequest, node), FIELD(TracesRequest, first),
          FIELD(TracesRequest, reserved)}},
        {"TracesAnswer", sizeof(TracesAnswer), {FIELD(TracesAnswer, traces), FIELD(TracesAnswer, reserved)}},
        {"AgentModeRequest", sizeof(AgentModeRequest), {FIELD(AgentModeRequest, job), FIELD(AgentModeRequest, mode)}},
        {"AbortRequest", sizeof(AbortRequest), {FIELD(AbortRequest, code), FIELD(AbortRequest, rank)}},
        {"MemberNotice", sizeof(MemberNotice), {FIELD(MemberNotice, rank), FIELD(MemberNotice, state)}},
        {"EventsRequest", sizeof(EventsRequest), {FIELD(EventsRequest, first), FIELD(EventsRequest, reserved)}},
        {"RestRequest", sizeof(RestRequest), {FIELD(RestRequest, rests), FIELD(RestRequest, reserved)}},
        {"JobNode", sizeof(JobNode), {FIELD(JobNode, ports), FIELD(JobNode, kind), FIELD(JobNode, length)}},
        {"ProofAnswer", sizeof(ProofAnswer), {FIELD(ProofAnswer, silent), FIELD(ProofAnswer, nodes)}},
        {"LentProgram",
         sizeof(LentProgram),
         {FIELD(LentProgram, job), FIELD(LentProgram, places), FIELD(LentProgram, packet_max),
          FIELD(LentProgram, reserved)}},
        {"NodeOffer",
         sizeof(NodeOffer),
         {FIELD(NodeOffer, transports), FIELD(NodeOffer, address_kind), FIELD(NodeOffer, address_length),
          FIELD(NodeOffer, port_first), FIELD(NodeOffer, free_ports)}}};
    std::vector<Layout> found = messages(document().section("Messages"));
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); i++) {
        size_t next = 0;
        for (Field& field : found[i].fields) {
            field.offset = static_cast<long>(next);
            next += field.bytes;
        }
        EXPECT_EQ(next, expected[i].bytes) << expected[i].name;
        EXPECT_TRUE(found[i].bytes == 0 || found[i].bytes == next) << found[i].name;
        EXPECT_EQ(found[i].name, expected[i].name);
        EXPECT_EQ(found[i].fields, expected[i].fields) << expected[i].name;
    }
}

TEST(ProtocolPage, JobSpecification) {
#define CONFIG(member) NESTED(#member, JobSpec, config, fw_config, member)
#define FAULT(member) NESTED(#member, JobSpec, faults, FaultRates, member)
    const std::vector<Field> expected = {CONFIG(job),
                                         CONFIG(authenticate),
                                         CONFIG(key),
                                         CONFIG(node),
                                         CONFIG(nodes),
                                         CONFIG(ranks),
                                         CONFIG(ports),
                                         CONFIG(window),
                                         CONFIG(udp_port),
                                         CONFIG(packet_max),
                                         CONFIG(keep_parts),
                                         CONFIG(nh),
                                         FIELD(JobSpec, token),
                                         FIELD(JobSpec, heap_bytes),
                                         FIELD(JobSpec, transport),
                                         FIELD(JobSpec, agent_mode),
                                         FIELD(JobSpec, agent_cpu),
                                         FIELD(JobSpec, peer_timeout_ms),
                                         FIELD(JobSpec, owner_uid),
                                         FIELD(JobSpec, interface),
                                         FIELD(JobSpec, reserved),
                                         FAULT(loss),
                                         FAULT(duplicate),
                                         FAULT(reorder),
                                         FAULT(corrupt),
                                         FAULT(seed),
                                         FIELD(JobSpec, shared_cpus),
                                         FIELD(JobSpec, memory_mib),
                                         FIELD(JobSpec, held_by_pes),
                                         FIELD(JobSpec, unused)};
    const std::vector<Field> found = columns(document().section("Messages"));
    EXPECT_EQ(found, expected);
    long next = 0;
    for (const Field& field : found) {
        EXPECT_EQ(field.offset, next) << field.name;
        next = field.offset + static_cast<long>(field.bytes);
    }
    EXPECT_EQ(static_cast<size_t>(next), sizeof(JobSpec));
    expect_text(fmt::format("JobSpec, {} bytes", sizeof(JobSpec)));
    expect_text(fmt::format("{} shm, {} udp, {} xdp", static_cast<uint32_t>(TransportKind::kShm),
                            static_cast<uint32_t>(TransportKind::kUdp), static_cast<uint32_t>(TransportKind::kXdp)));
}

TEST(ProtocolPage, Tables) {
    expect_layouts(
        layouts(document().section("Words, their writers, and the pairs of their orderings")),
        {{"fw_source", sizeof(fw_source), {FIELD(fw_source, row), FIELD(fw_source, executed)}},
         {"fw_rows", sizeof(fw_rows), {FIELD(fw_rows, taken), FIELD(fw_rows, room)}},
         {"fw_buffers", sizeof(fw_buffers), {FIELD(fw_buffers, of_slot)}},
         {"fw_slot",
          sizeof(fw_slot),
          {FIELD(fw_slot, word), FIELD(fw_slot, status), FIELD(fw_slot, executed), FIELD(fw_slot, length),
           FIELD(fw_slot, results)}},
         {"fw_completion",
          offsetof(fw_completion, data) + SLW_BODY_MAX,
          {FIELD(fw_completion, state),
           FIELD(fw_completion, status),
           FIELD(fw_completion, executed),
           FIELD(fw_completion, length),
           {"data", offsetof(fw_completion, data), SLW_BODY_MAX, 1, 'u'}}},
         {"fw_port",
          sizeof(fw_port),
          {FIELD(fw_port, waiting), FIELD(fw_port, followers_lost), FIELD(fw_port, cpus), FIELD(fw_port, pair_locks)}},
         {"fw_pair_lock",
          sizeof(fw_pair_lock),
          {FIELD(fw_pair_lock, owner), FIELD(fw_pair_lock, address), FIELD(fw_pair_lock, low),
           FIELD(fw_pair_lock, high)}},
         {"fw_segment",
          sizeof(fw_segment),
          {FIELD(fw_segment, length), FIELD(fw_segment, state), FIELD(fw_segment, generation)}},
         {"RequestsHeader",
          sizeof(RequestsHeader),
          {FIELD(RequestsHeader, outstanding), FIELD(RequestsHeader, retransmitted), FIELD(RequestsHeader, bytes),
           NESTED("counters", RequestsHeader, counters, fw_counters, value)}},
         {"fw_image",
          offsetof(fw_image, packet) + SLW_PACKET_MAX,
          {FIELD(fw_image, state),
           FIELD(fw_image, sent_ns),
           FIELD(fw_image, length),
           FIELD(fw_image, pad_to),
           {"packet", offsetof(fw_image, packet), SLW_PACKET_MAX, 1, 'u'}}},
         {"fw_barrier", sizeof(fw_barrier), {FIELD(fw_barrier, state),
                                             FIELD(fw_barrier, instance),
                                             NESTED("ports", fw_barrier, ports, fw_port_set, word),
                                             FIELD(fw_barrier, word),
                                             FIELD(fw_barrier, sent),
                                             FIELD(fw_barrier, refused),
                                             FIELD(fw_barrier, phases),
                                             FIELD(fw_barrier, hears),
                                             FIELD(fw_barrier, sends),
                                             FIELD(fw_barrier, host),
                                             FIELD(fw_barrier, combine),
                                             FIELD(fw_barrier, drawer),
                                             FIELD(fw_barrier, gathered),
                                             FIELD(fw_barrier, left),
                                             FIELD(fw_barrier, phase),
                                             FIELD(fw_barrier, hear),
                                             FIELD(fw_barrier, send),
                                             FIELD(fw_barrier, value),
                                             FIELD(fw_barrier, contribution),
                                             FIELD(fw_barrier, record)}},
         {"fw_barrier_phase",
          sizeof(fw_barrier_phase),
          {FIELD(fw_barrier_phase, hear_from), FIELD(fw_barrier_phase, hear_to), FIELD(fw_barrier_phase, send_to),
           FIELD(fw_barrier_phase, replace)}},
         {"fw_barrier_route",
          sizeof(fw_barrier_route),
          {FIELD(fw_barrier_route, node), FIELD(fw_barrier_route, place), FIELD(fw_barrier_route, phase)}},
         {"fw_barrier_record",
          sizeof(fw_barrier_record),
          {FIELD(fw_barrier_record, word), FIELD(fw_barrier_record, value)}}});
}

TEST(ProtocolPage, States) {
    expect_text(fmt::format("| EMPTY ({}) |", +FW_SLOT_EMPTY));
    expect_text(fmt::format("| BUSY ({}) |", +FW_SLOT_BUSY));
    expect_text(fmt::format("| DONE ({}) |", +FW_SLOT_DONE));
    expect_text(fmt::format("| IDLE ({}), DONE | ARMED ({}) |", +FW_COMPLETION_IDLE, +FW_COMPLETION_ARMED));
    expect_text(fmt::format("| ARMED | CLAIMED ({}) |", +FW_COMPLETION_CLAIMED));
    expect_text(fmt::format("| CLAIMED | DONE ({}) |", +FW_COMPLETION_DONE));
    expect_text(fmt::format("({} NONE, {} OPEN, {} CLOSED)", +FW_SEGMENT_NONE, +FW_SEGMENT_OPEN, +FW_SEGMENT_CLOSED));
    expect_text(fmt::format("{} CLOSED, {} OPEN, {} BROKEN, {} GONE", +FW_BARRIER_CLOSED, +FW_BARRIER_OPEN,
                            +FW_BARRIER_BROKEN, +FW_BARRIER_GONE));
    expect_text(
        fmt::format("step: {} DONE, {} RUNNING, {} BUSY", +FW_BARRIER_DONE, +FW_BARRIER_RUNNING, +FW_BARRIER_BUSY));
    expect_text(fmt::format("{} WRITING or {} HEARD", +FW_RECORD_WRITING, +FW_RECORD_HEARD));
    expect_text(fmt::format("| the barriers: `fw_barrier` × {} |", +SLW_BARRIERS_MAX));
    expect_text(fmt::format("`fw_segment` × {} × {}", +SLW_PORTS_MAX, +SLW_SEGMENTS_MAX));
}

TEST(ProtocolPage, RuntimeWords) {
    const std::vector<Strings> rows = table(document().section("The runtime's words"), "Address");
    const auto round = [](uint32_t number) { return RuntimeWords::job_barrier_round(number); };
    const auto barrier = [](uint64_t word) {
        const uint64_t stride = RuntimeWords::barrier(1) - RuntimeWords::barrier(0);
        return fmt::format("{} + {} × b", RuntimeWords::barrier(0), stride) +
               (word != 0 ? fmt::format(" + {}", word) : "");
    };
    const Strings expected = {std::to_string(RuntimeWords::broken),
                              std::to_string(RuntimeWords::probe),
                              fmt::format("{} + {} × k", round(0), round(1) - round(0)),
                              barrier(BarrierWords::announced),
                              barrier(BarrierWords::base),
                              barrier(BarrierWords::closed),
                              barrier(BarrierWords::choice),
                              barrier(BarrierWords::holders),
                              barrier(BarrierWords::entered),
                              barrier(BarrierWords::broken),
                              fmt::format("{} to {}", RuntimeWords::counts, RuntimeWords::signals - 1),
                              fmt::format("{} to {}", RuntimeWords::signals, heap_reserved_bytes - 1)};
    ASSERT_EQ(rows.size(), expected.size());
    for (size_t i = 0; i < rows.size(); i++) {
        EXPECT_EQ(rows[i][0], expected[i]);
    }
}

}  // namespace syncline
