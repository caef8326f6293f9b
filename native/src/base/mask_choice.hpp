// Choices from masks: for each row one of the columns that are set, all of them as likely.
#pragma once

#include <cstdint>

namespace ludens {

// Masks [rows][columns]: a byte each, of which 0 is not set; or `packed`, eight to a byte, the first one lowest, every row
// in ceil(columns / 8) bytes of its own, of which no other bits are set. `chosen` [rows]: 0 where no column is set. All
// follows from the seed.
void choose_columns(const std::uint8_t* masks, std::int64_t rows, std::int32_t columns, bool packed, std::uint64_t seed,
                    std::int32_t* chosen);

}  // namespace ludens
