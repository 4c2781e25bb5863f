// Requests of a data file (--workload FILE), its items in their order and then again. Any thread.
#pragma once

#include <memory>

#include "workload/request_source.hpp"

namespace infermeter {

/// inputs.items holds the items of inputs.prompts.file, found good for prompts.conversations() (io's
/// open_items). The user's own text is sent as it is, without a nonce; the answer's length is the item's own,
/// else drawn. A conversation has the turns of its item, of plain text the lines in their order, and no more
/// than are drawn. A trace's prompts are synthetic text of its lengths behind the nonce: equal blocks are
/// equal text, so that what shared a prefix does so again. A request throws EnvironmentError if the file has
/// changed.
std::unique_ptr<RequestSource> make_file_source(SourceInputs inputs);

}  // namespace infermeter
