// Keys of a verdict (see result_fields.hpp for what an archive offers). Private to src/report.
#pragma once

#include "infermeter/model/verdict.hpp"
#include "report/json/load_fields.hpp"

namespace infermeter::result_fields {

template <typename Archive, Either<Judgement> J>
void walk(Archive& a, J& j) {
  a("kind", j.kind);
  a("decision", j.decision);
  a("text", j.text);
  a("where", j.where);
  a("point", j.point);
  a("target", j.target);
  a("unit", j.unit);
  a("relative", j.relative);
  a("value", j.value);
  a("low", j.low);
  a("high", j.high);
  a("limit", j.limit);
  a("limit_follows", j.limit_follows);
  a("baseline", j.baseline);
  a("candidate", j.candidate);
  a("by_interval", j.by_interval);
  a("reason", j.reason);
  a("needed", j.needed);
}

template <typename Archive, Either<GateUnit> U>
void walk(Archive& a, U& u) {
  a("number", u.number);
  a("set_aside", u.set_aside);
  a("changes", u.changes);
}

template <typename Archive, Either<Verdict> V>
void walk(Archive& a, V& v) {
  a("decision", v.decision);
  a("trustworthy", v.trustworthy);
  a("exit_code", v.exit_code);
  a("basis", v.basis);
  a("ended", v.ended);
  a("judgements", v.judgements);
  a("units", v.units);
  a("notes", v.notes);
}

}  // namespace infermeter::result_fields
