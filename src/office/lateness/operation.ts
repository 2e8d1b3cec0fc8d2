import { Refusal } from '../../base/errors/refusal.ts';
import { DAY_MS, type Instant } from '../../domain/instant.ts';
import {
  DELAY_STEPS,
  type DelayCount,
  reportsIn,
  usualDelaySeconds,
} from '../../domain/patrol/source-delay.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/unknown.ts';
import type { FoundSource } from '../../serving/lookups/reporting-sources-table.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import { type LatenessAnswer, latenessAnswer, latenessQuery } from './contract.ts';
import { readSources } from './lateness-table.ts';

/** How late the sources of a municipality usually report. */
export const getLateness = operation({
  id: 'getSourceLateness',
  method: 'GET',
  path: '/api/v2/admin/sources/lateness',
  access: { by: 'administrator', office: 'reads' },
  deadlineMs: 5_000,
  query: latenessQuery,
  answer: latenessAnswer,
  errors: ['MUNICIPALITY_NOT_ALLOWED'],
  handle: async ({ query }, { env, deadline, now, bounds }) => {
    await bounds.requireMunicipalities([query.municipality_code]);
    const sources = await deadline.race(readSources(env, query.municipality_code, now));
    return sources === null
      ? { refused: new Refusal('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY }) }
      : { answer: { sources: sources.map((source) => presentSource(source, now)) } };
  },
});

function presentSource(source: FoundSource, now: Instant): LatenessAnswer['sources'][number] {
  const byDay = Map.groupBy(source.delays, ({ day }) => day);
  return {
    code: source.code,
    name: source.name,
    usual_delay_seconds: usualDelaySeconds(source, now),
    days: [...byDay].sort(([a], [b]) => a - b).map(([day, counts]) => presentDay(day, counts)),
  };
}

const presentDay = (day: number, counts: readonly DelayCount[]) => ({
  date: new Date(day * DAY_MS).toISOString().slice(0, 10),
  counted: reportsIn(counts),
  within_seconds: Object.fromEntries(
    DELAY_STEPS.map((step) => [step, reportsIn(counts.filter((count) => count.step <= step))]),
  ),
});
