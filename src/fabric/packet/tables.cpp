// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/tables.h"

namespace syncline {

PacketTables PacketTables::map(Attachment* attachment) {
    const fw_config& config = attachment->config();
    const bool executes = attachment->executes();
    const PacketDescriptors from = attachment->take_packets();
    PacketTables tables;
    auto& [completions, requests, sources, directory] = tables.memory;
    map_shared(&completions, from.completions.get(), completions_bytes(config), "completions");
    map_shared(&requests, from.requests.get(), requests_bytes(config), "request images");
    map_shared(&sources, from.sources.get(), executes ? records_bytes(config) : sources_bytes(config),
               "records of requests", executes);
    map_shared(&directory, from.directory.get(), directory_bytes(config), "directory of buffers");
    tables.completions = completions.at<fw_completion>();
    tables.requests = requests.at<RequestsHeader>();
    tables.directory = directory.at<fw_buffers>();
    tables.sources = sources.at<fw_source>();
    tables.rows = executes ? rows_at(tables.sources, config) : nullptr;
    tables.slots = executes ? slots_at(tables.sources, config) : nullptr;
    return tables;
}

}  // namespace syncline
