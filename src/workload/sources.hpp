// What make_request_source puts together: requests of synthetic text and of data files, and pictures. Private
// to this floor; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "workload/request_source.hpp"

namespace infermeter {

/// A prompt opens with the shared prefix of its group, or the nonce where nothing is shared; then come words
/// that only this prompt has, words up to its length and, from 24 tokens on, a sentence that asks for a long
/// answer. With a calibration the server's count is the drawn length; it is never below what the fixed parts
/// take. The first turn's length is that of the whole prompt, a later one's that of its new words.
/// Throws UsageError where the shared prefix leaves no room.
std::unique_ptr<RequestSource> make_synthetic_source(SourceInputs inputs);

/// A data file's items in their order, and then again. inputs.items holds the items of inputs.prompts.file,
/// found good for prompts.conversations() (io's open_items). The user's own text is sent as it is, without a
/// nonce; the answer's length is the item's own, else drawn. A conversation has the turns of its item, of
/// plain text the lines in their order, and no more than are drawn. A trace's prompts are synthetic text of
/// its lengths behind the nonce: equal blocks are equal text, so that what shared a prefix does so again. A
/// request throws EnvironmentError if the file has changed.
std::unique_ptr<RequestSource> make_file_source(SourceInputs inputs);

/// A PNG of coloured squares as a data URL ("data:image/png;base64,…"), the same for the same key and another
/// for any other, so that no encoder cache knows it. Some kilobytes at most for each megapixel. Throws
/// EnvironmentError where libpng cannot make it.
std::string picture_url(std::uint32_t width, std::uint32_t height, std::uint64_t key);

}  // namespace infermeter
