import { sourceFreshness } from '../../domain/source-freshness.ts';
import type { Snapshot } from '../snapshots/snapshot.ts';
import { presentReport } from './present.ts';
import type { Report } from './report.ts';

/** The texts made from a snapshot, which stays the same object for a minute, by what else they depend on. */
const textsBySnapshot = new WeakMap<Snapshot, Map<string, string>>();
/** In characters. The report of a city with some hundred areas is shorter; a longer one is made for each call. */
const MAX_KEPT_LENGTH = 200_000;

/**
 * The answer of the report as JSON. Many widgets ask for the same city in a minute, so a report without a selected source
 * is written once per snapshot.
 */
export function reportText(report: Report): string {
  if (report.selectedSource !== null) {
    return makeText(report);
  }
  const texts = textsBySnapshot.getOrInsertComputed(report.snapshot, () => new Map<string, string>());
  const key = keyOf(report);
  const kept = texts.get(key);
  if (kept !== undefined) {
    return kept;
  }
  const text = makeText(report);
  if (text.length <= MAX_KEPT_LENGTH) {
    texts.set(key, text);
  }
  return text;
}

const makeText = (report: Report): string => JSON.stringify(presentReport(report));

/** Apart from the snapshot, the text depends only on the area type and the freshness of the sources. */
function keyOf({ areaType, snapshot: { sources }, now }: Report): string {
  return [areaType, ...sources.map((source) => sourceFreshness(source, now))].join();
}
