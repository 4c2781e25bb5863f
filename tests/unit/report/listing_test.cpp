#include "report/tables/listing.hpp"

#include "catch.hpp"

using namespace infermeter;

namespace {

Listing two_rows() {
  Listing listing({{"Target", "", CellKind::words},
                   {"TTFT", "p50", CellKind::milliseconds, 1},
                   {"vs first", "", CellKind::words, 2, true},
                   {"errors", "", CellKind::percent, 3}});
  listing.row({{"one"}, {{}, 91.8}, {"–"}, {{}, 0.0}});
  listing.row({{"two"}, {{}, 1220.0}, {"+54 % ±3"}, {{}, 0.004}}, {"2 HTTP 500"});
  return listing;
}

std::string printed(const Listing& listing, unsigned width, bool all) {
  TableOptions options;
  options.width = width;
  Page page(options);
  listing.print(page, all);
  return page.take();
}

}  // namespace

TEST_CASE("listing: figures stand under their heads, aligned on the decimal point") {
  CHECK(printed(two_rows(), 60, false) ==
        " Target      TTFT   vs first   errors\n"
        "           p50 ms                   %\n"
        " one         91.8   –             0\n"
        " two      1,220     +54 % ±3      0.4  2 HTTP 500\n");
}

TEST_CASE("listing: the least important columns give way, a note goes beneath") {
  CHECK(printed(two_rows(), 30, false) ==
        " Target      TTFT   vs first\n"
        "           p50 ms\n"
        " one         91.8   –\n"
        " two      1,220     +54 % ±3\n"
        "     2 HTTP 500\n");
}

TEST_CASE("listing: with all columns asked for, those that do not fit stand beneath") {
  CHECK(printed(two_rows(), 30, true) ==
        " Target      TTFT   vs first\n"
        "           p50 ms\n"
        " one         91.8   –\n"
        " two      1,220     +54 % ±3\n"
        "     2 HTTP 500\n"
        "\n"
        " Target   errors\n"
        "               %\n"
        " one         0\n"
        " two         0.4\n");
}

TEST_CASE("listing: sections have the same columns, though one of them alone had room for more") {
  Listing listing({{"Target", "", CellKind::words},
                   {"TTFT", "p50", CellKind::milliseconds, 1},
                   {"vs first", "", CellKind::words, 2, true},
                   {"errors", "", CellKind::percent, 3}});
  listing.section({"at 1"});
  listing.row({{"one"}, {{}, 91.8}, {"–"}, {{}, 0.0}});
  listing.section({"at 8"});
  listing.row({{"two"}, {{}, 1220.0}, {"+54 % (50 … 61)"}, {{}, 0.004}});
  CHECK(printed(listing, 40, false) ==
        "at 1\n"
        " Target      TTFT   vs first\n"
        "           p50 ms\n"
        " one         91.8   –\n"
        "\n"
        "at 8\n"
        " Target      TTFT   vs first\n"
        "           p50 ms\n"
        " two      1,220     +54 % (50 … 61)\n");
}

TEST_CASE("listing: a column and the one joined to it come and go together") {
  CHECK(printed(two_rows(), 20, false) ==
        " Target     TTFT  vs first\n"
        "          p50 ms\n"
        " one        91.8  –\n"
        " two     1,220    +54 % ±3\n"
        "     2 HTTP 500\n");
}

TEST_CASE("listing: milliseconds become seconds where all of a column are large") {
  Listing listing({{"n", "", CellKind::count}, {"TTFT", "p50", CellKind::milliseconds, 1}});
  listing.row({{"1"}, {{}, 1000.0}});
  listing.row({{"2"}, {{}, 25'000.0}});
  CHECK(printed(listing, 40, false) ==
        " n    TTFT\n"
        "     p50 s\n"
        " 1    1.00\n"
        " 2   25.0\n");
}

TEST_CASE("listing: a column without a figure is left out") {
  Listing listing({{"n", "", CellKind::count}, {"TTFT", "p50", CellKind::milliseconds, 1}});
  listing.row({{"1"}, {}});
  CHECK(printed(listing, 40, false) == " n\n 1\n");
}
