// SPDX-License-Identifier: BSD-3-Clause
#include "program.h"

#include <elf.h>
#include <link.h>

#include <algorithm>

#include "job.h"

namespace syncline::ports {
namespace {

#if defined(__x86_64__)
constexpr uint32_t copy_relocation = R_X86_64_COPY;
#elif defined(__aarch64__)
constexpr uint32_t copy_relocation = R_AARCH64_COPY;
#else
#error "which relocation copies a library's variable into the executable?"
#endif

// The loader has turned the addresses in this section into pointers.
struct Dynamic {
    const ElfW(Rela) * relocations = nullptr;
    size_t count = 0;
    const ElfW(Sym) * symbols = nullptr;
};

Dynamic read_dynamic(const dl_phdr_info& object) {
    Dynamic found;
    for (int i = 0; i < object.dlpi_phnum; i++) {
        if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) {
            continue;
        }
        const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_RELA) {
                found.relocations = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
            } else if (entry->d_tag == DT_RELASZ) {
                found.count = entry->d_un.d_val / sizeof(ElfW(Rela));
            } else if (entry->d_tag == DT_SYMTAB) {
                found.symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
            }
        }
    }
    return found;
}

void add_range(Program& program, Range range) {
    if (range.begin >= range.end) {
        return;
    }
    if (program.variable_ranges == Program::ranges_max) {
        end_job("MAIN_ENV: the program has more than %zu variables of libraries in its own memory",
                Program::ranges_max);
    }
    program.variables[program.variable_ranges++] = range;
}

// Lists the copied variables, by address.
size_t list_copied(const dl_phdr_info& object, Range* copied, size_t most) {
    const Dynamic dynamic = read_dynamic(object);
    size_t found = 0;
    for (size_t i = 0; i < dynamic.count && found < most; i++) {
        const ElfW(Rela)& relocation = dynamic.relocations[i];
        if (ELF64_R_TYPE(relocation.r_info) == copy_relocation) {
            char* const begin = reinterpret_cast<char*>(object.dlpi_addr + relocation.r_offset);
            copied[found++] = {begin, begin + dynamic.symbols[ELF64_R_SYM(relocation.r_info)].st_size};
        }
    }
    std::sort(copied, copied + found, [](const Range& a, const Range& b) { return a.begin < b.begin; });
    return found;
}

struct ProgramSearch {
    Range variables;
    Program* program;
};

int look_at_executable(dl_phdr_info* object, size_t, void* context) {
    auto& [variables, program] = *static_cast<ProgramSearch*>(context);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr)& segment = object->dlpi_phdr[i];
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
            program->code.begin = reinterpret_cast<char*>(object->dlpi_addr + segment.p_vaddr);
            program->code.end = program->code.begin + segment.p_memsz;
        }
    }
    Range copied[Program::ranges_max];
    const size_t count = list_copied(*object, copied, Program::ranges_max);
    char* from = variables.begin;
    for (size_t i = 0; i < count; i++) {
        if (copied[i].begin >= variables.begin && copied[i].end <= variables.end) {
            add_range(*program, {from, copied[i].begin});
            from = std::max(from, copied[i].end);
        }
    }
    add_range(*program, {from, variables.end});
    return 1;  // the executable is the first object
}

struct ObjectSearch {
    uintptr_t address = 0;
    size_t bytes = 0;
    int wanted = -1;
    int index = 0;
    uintptr_t base = 0;
    bool found = false;
};

bool holds(const dl_phdr_info& object, uintptr_t address, size_t bytes) {
    for (int i = 0; i < object.dlpi_phnum; i++) {
        const ElfW(Phdr)& segment = object.dlpi_phdr[i];
        const uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_LOAD && address >= begin && address + bytes <= begin + segment.p_memsz) {
            return true;
        }
    }
    return false;
}

int look_at_object(dl_phdr_info* object, size_t, void* context) {
    auto& search = *static_cast<ObjectSearch*>(context);
    search.found = search.wanted >= 0 ? search.wanted == search.index : holds(*object, search.address, search.bytes);
    if (search.found) {
        search.base = object->dlpi_addr;
        return 1;
    }
    search.index++;
    return 0;
}

}  // namespace

Program find_program(Range variables) {
    Program program;
    ProgramSearch search = {variables, &program};
    ::dl_iterate_phdr(look_at_executable, &search);
    return program;
}

int find_object(const void* address, size_t bytes, uintptr_t* offset) {
    ObjectSearch search;
    search.address = reinterpret_cast<uintptr_t>(address);
    search.bytes = bytes;
    ::dl_iterate_phdr(look_at_object, &search);
    if (!search.found) {
        return -1;
    }
    *offset = search.address - search.base;
    return search.index;
}

void* address_in_object(int object, uintptr_t offset) {
    ObjectSearch search;
    search.wanted = object;
    ::dl_iterate_phdr(look_at_object, &search);
    return search.found ? reinterpret_cast<void*>(search.base + offset) : nullptr;
}

}  // namespace syncline::ports
