#include "workload/synthetic/words.hpp"

namespace infermeter {
namespace {

constexpr std::string_view kText =
    "about above action add after again age agree air allow along also always among and animal appear "
    "apple area around art artist ask author away back bad bag ball band bank base before begin bell "
    "below bird block blue board boat body book both box bread break bridge bright bring brown build "
    "busy but button buy call car card carry case cat catch cause center chair change check child "
    "choice choose city class clean clear clock close cloud coat coin cold color come cook cool corner "
    "cost count course court cover create cross cup dance dark data day deep dog door double down draw "
    "dream dress drive driver drop dry during each ear early east easy eat edge effect eight empty end "
    "energy engine enter even event every except exit expect eye face fact factor fall family far farm "
    "fast father feel few field figure film find finger fire first fish five fix flat floor flower fly "
    "follow foot for forest form four frame free fresh friend from front fruit full future game gate "
    "get give glass goal gold good grass gray great green grey ground group grow guard guest hair half "
    "hand happy hard hat have head health hear heart heat heavy help her here high hill him his hold "
    "home hope horse host hot hotel hour house how ice idea image inside into iron issue its job join "
    "judge jump just keep key kind know lake lamp land large last late law lead leader leaf learn "
    "leave length let letter level life lift light like line list listen little live lock long look "
    "lot love low make many map mark market matter meet member metal might mind minute model moment "
    "money month moon more most mother mouth move movie much music name nation nature near neck need "
    "never new news next night nine north note now off offer often oil old once one only onto open "
    "order other our out over own page paint paper park part party pass past path pay pen phone piece "
    "pipe place plan plane plant plate play point power press pull push quick quiet rain raise range "
    "rate reach read ready red rest rich ride right ring risk river road rock role roof room round "
    "rule run safe salt same save say sea see sell send sense serve set seven shape share sharp she "
    "ship shop short show side sign since sing sit site six size sky sleep slow small snow soft some "
    "song soon sound south space speed sport stage stand star start state stay step still stone stop "
    "store storm story study style such sun sweet table take talk tax team tell ten term test than "
    "that their them then there these they thin thing think this those three throw time today tool top "
    "touch trade train tree try turn two type under until upon use very visit voice wait walk wall "
    "want warm watch water way week well west what wheel when where which while who why wide win wind "
    "wire with wood word work world write yard year you young your";

constexpr std::array<std::string_view, kWordCount> split_words(std::string_view text) {
  std::array<std::string_view, kWordCount> words;
  for (auto& word : words) {
    const std::size_t end = text.find(' ');
    word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return words;
}
static_assert(!split_words(kText).back().empty());
static_assert(split_words(kText).back().find(' ') == std::string_view::npos);

}  // namespace

constinit const std::array<std::string_view, kWordCount> kWords = split_words(kText);

}  // namespace infermeter
