#include "module.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/base/attr.h"
#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum {
    MODULE_PAGE = 4096,
    HEADERS_MAX = 256,    /* program headers of one file; real ones have about 12 */
    TABLE_ENTRY_SIZE = 8, /* two 32-bit numbers: the usual encoding, and the only one we read */
    ENCODING_UDATA4 = 0x03,
    ENCODING_PCREL_SDATA4 = 0x1b,
    ENCODING_DATAREL_SDATA4 = 0x3b,
};

/* How .eh_frame_hdr begins in its usual encoding (Linux Standard Base, "DWARF Extensions"). */
struct table_head {
    uint8_t version, pointer_encoding, count_encoding, entry_encoding;
    int32_t eh_frame;
    uint32_t count;
};

void modules_fini(struct modules *modules)
{
    for (size_t i = 0; i < modules->count; i++) {
        free(modules->items[i].path);
        free(modules->items[i].segments);
        own_fd(&modules->items[i].fd);
        for (size_t j = 0; j < modules->items[i].pages_count; j++)
            free(modules->items[i].pages[j]);
        free(modules->items[i].pages);
        map_fini(&modules->items[i].page_numbers);
    }
    free(modules->items);
    map_fini(&modules->by_file);
    *modules = (struct modules){0};
}

static bool is_inode(int fd, uint64_t inode)
{
    struct stat info;
    return fd >= 0 && fstat(fd, &info) == 0 && info.st_ino == inode;
}

/* map_files leads to the mapped file itself, deleted or not, but only for root; the path leads to
 * what has that name now, so the inode must agree. (The device does not on btrfs and overlayfs.) */
static int open_mapped(const struct module_place *place)
{
    char *direct OWN(own_mem) = mem_format("/proc/%d/map_files/%lx-%lx", (int)place->process,
                                           (unsigned long)place->start, (unsigned long)place->end);
    int fd = open(direct, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0)
        return fd;
    char *named OWN(own_mem) = mem_format("/proc/%d/root%s", (int)place->process, place->path);
    fd = open(named, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (is_inode(fd, place->inode))
        return fd;
    own_fd(&fd);
    return -1;
}

static void read_table(struct module *module, const Elf64_Phdr *header)
{
    struct table_head head;
    if (pread(module->fd, &head, sizeof head, (off_t)header->p_offset) != sizeof head)
        return;
    if (head.version != 1 || head.pointer_encoding != ENCODING_PCREL_SDATA4 ||
        head.count_encoding != ENCODING_UDATA4 || head.entry_encoding != ENCODING_DATAREL_SDATA4)
        return;
    if (head.count > header->p_memsz / TABLE_ENTRY_SIZE)
        return;
    module->table = (struct module_table){.vaddr = header->p_vaddr,
                                          .entries_from = header->p_vaddr + sizeof head,
                                          .entries = head.count};
}

static void read_headers(struct module *module)
{
    Elf64_Ehdr elf;
    if (pread(module->fd, &elf, sizeof elf, 0) != sizeof elf ||
        memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64 ||
        elf.e_phentsize != sizeof(Elf64_Phdr) || elf.e_phnum > HEADERS_MAX)
        return;
    Elf64_Phdr *headers OWN(own_mem) = mem_new(elf.e_phnum, sizeof *headers);
    const size_t size = elf.e_phnum * sizeof *headers;
    if (pread(module->fd, headers, size, (off_t)elf.e_phoff) != (ssize_t)size)
        return;
    module->segments = mem_new(elf.e_phnum, sizeof *module->segments);
    for (size_t i = 0; i < elf.e_phnum; i++) {
        if (headers[i].p_type == PT_LOAD) {
            module->segments[module->segments_count++] =
                (struct module_segment){.offset = headers[i].p_offset,
                                        .vaddr = headers[i].p_vaddr,
                                        .size = headers[i].p_filesz};
        }
        if (headers[i].p_type == PT_GNU_EH_FRAME)
            read_table(module, &headers[i]);
    }
}

static int64_t changed_ns(const struct stat *info)
{
    return info->st_mtim.tv_sec * CLOCK_SECOND + info->st_mtim.tv_nsec;
}

/* What the file looked like when it was added still holds. */
static bool is_current(const struct module *module)
{
    struct stat info;
    return module->fd < 0 ||
           (fstat(module->fd, &info) == 0 && (uint64_t)info.st_size == module->size &&
            changed_ns(&info) == module->changed_ns);
}

static char *path_of(const char *path)
{
    static const char suffix[] = " (deleted)";
    const size_t size = strlen(path);
    const size_t cut = sizeof suffix - 1;
    const bool is_deleted = size > cut && memcmp(path + size - cut, suffix, cut) == 0;
    return mem_range(path, is_deleted ? size - cut : size);
}

/* Devices of loaded programs differ in a few low bits, inodes in more; a clash could only make one
 * module be opened again and again. */
static uint64_t key_of(const struct module_place *place)
{
    return place->device * UINT64_C(0x9e3779b97f4a7c15) ^ place->inode;
}

bool modules_find(const struct modules *modules, const struct module_place *place, uint32_t *out)
{
    uint64_t number;
    if (!map_get(&modules->by_file, key_of(place), &number))
        return false;
    *out = (uint32_t)number;
    return true;
}

uint32_t modules_add(struct modules *modules, const struct module_place *place)
{
    const uint64_t key = key_of(place);
    uint64_t number;
    if (map_get(&modules->by_file, key, &number) && is_current(&modules->items[number]))
        return (uint32_t)number;
    struct module module = {.path = path_of(place->path), .fd = open_mapped(place)};
    struct stat info;
    if (module.fd >= 0 && fstat(module.fd, &info) == 0) {
        module.size = (uint64_t)info.st_size;
        module.changed_ns = changed_ns(&info);
        read_headers(&module);
    }
    mem_grow(&modules->items, &modules->capacity, modules->count + 1, sizeof *modules->items);
    modules->items[modules->count] = module;
    map_put(&modules->by_file, key, modules->count);
    return (uint32_t)modules->count++;
}

bool module_vaddr(const struct module *module, uint64_t offset, uint64_t *out)
{
    for (size_t i = 0; i < module->segments_count; i++) {
        const struct module_segment *segment = &module->segments[i];
        if (offset < segment->offset || offset - segment->offset >= segment->size)
            continue;
        *out = segment->vaddr + (offset - segment->offset);
        return true;
    }
    return false;
}

static const uint8_t *page_at(struct module *module, uint64_t number)
{
    uint64_t index;
    if (map_get(&module->page_numbers, number, &index))
        return module->pages[index];
    uint8_t *page = mem_new(1, MODULE_PAGE);
    if (pread(module->fd, page, MODULE_PAGE, (off_t)(number * MODULE_PAGE)) <= 0) {
        free(page);
        return NULL;
    }
    mem_grow(&module->pages, &module->pages_capacity, module->pages_count + 1, sizeof(uint8_t *));
    map_put(&module->page_numbers, number, module->pages_count);
    module->pages[module->pages_count++] = page;
    return page;
}

bool module_word(struct module *module, uint64_t offset, uint64_t *out)
{
    uint8_t bytes[sizeof *out];
    for (size_t done = 0; done < sizeof bytes;) { /* a word may lie across two pages */
        const uint64_t at = offset + done;
        const uint8_t *page = page_at(module, at / MODULE_PAGE);
        if (page == NULL)
            return false;
        const size_t in_page = MODULE_PAGE - at % MODULE_PAGE;
        const size_t size = in_page < sizeof bytes - done ? in_page : sizeof bytes - done;
        memcpy(bytes + done, page + at % MODULE_PAGE, size);
        done += size;
    }
    memcpy(out, bytes, sizeof bytes);
    return true;
}
