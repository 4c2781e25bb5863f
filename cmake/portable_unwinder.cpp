// The unwinder of GCC 12, which is linked into the program, asks _dl_find_object of glibc 2.35 for the tables
// of an address, and takes no other way if there is none. This one searches as the unwinder did before, so
// that glibc 2.34 is enough (RHEL 9, Amazon Linux 2023). It is only in infermeter_portable.
#include <dlfcn.h>
#include <link.h>

#include <cstdint>

namespace {

struct Search {
  std::uintptr_t address;
  dl_find_object* found;
};

int look_into(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const ElfW(Phdr)* tables = nullptr;
  bool inside = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& header = object->dlpi_phdr[i];
    const std::uintptr_t start = object->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_GNU_EH_FRAME) tables = &header;
    if (header.p_type != PT_LOAD || search.address < start || search.address - start >= header.p_memsz)
      continue;
    inside = true;
    search.found->dlfo_map_start = reinterpret_cast<void*>(start);
    search.found->dlfo_map_end = reinterpret_cast<void*>(start + header.p_memsz);
  }
  if (!inside || tables == nullptr) return inside ? -1 : 0;
  search.found->dlfo_eh_frame = reinterpret_cast<void*>(object->dlpi_addr + tables->p_vaddr);
  return 1;
}

}  // namespace

extern "C" int _dl_find_object(void* address, dl_find_object* found) noexcept {
  *found = {};
  Search search{reinterpret_cast<std::uintptr_t>(address), found};
  return dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}
