import { sourceFreshness } from '../domain/source-freshness.ts';
import type { Snapshot } from '../snapshots/snapshot.ts';
import { presentReport } from './present.ts';
import type { Report } from './report.ts';

/** A memo, not state: the texts of a snapshot, which is the same object for a minute, by what they depend on besides. */
const kept = new WeakMap<Snapshot, Map<string, string>>();
/** In characters. The report of a city with some hundred areas has less. */
const LONGEST_KEPT = 200_000;

/**
 * The answer of the report as JSON. Many widgets ask for the same city in the same minute: the report without a chosen
 * source is made for the first of them.
 */
export function reportText(report: Report): string {
  if (report.selectedSource !== null) {
    return makeText(report);
  }
  const texts = textsOf(report.snapshot);
  const key = dependsOn(report);
  const known = texts.get(key);
  if (known !== undefined) {
    return known;
  }
  const text = makeText(report);
  if (text.length <= LONGEST_KEPT) {
    texts.set(key, text);
  }
  return text;
}

const makeText = (report: Report): string => JSON.stringify(presentReport(report));

/** Freshness alone is judged by the instant of the answer. */
function dependsOn({ areaType, snapshot: { sources }, now }: Report): string {
  return [areaType, ...sources.map((source) => sourceFreshness(source, now))].join();
}

function textsOf(snapshot: Snapshot): Map<string, string> {
  const known = kept.get(snapshot);
  if (known !== undefined) {
    return known;
  }
  const texts = new Map<string, string>();
  kept.set(snapshot, texts);
  return texts;
}
