import * as z from 'zod';
import { Refusal } from '../../base/errors/refusal.ts';
import { DAY_MS, type Instant } from '../../domain/instant.ts';
import {
  DELAY_DAYS,
  DELAY_STEPS,
  type DelayCount,
  reportsIn,
  usualDelaySeconds,
} from '../../domain/patrol/source-delay.ts';
import { storedCode, UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import { code, count, name } from '../../serving/http/response-fields.ts';
import type { FoundSource } from '../../serving/lookups/reporting-sources-table.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import { readSources } from './lateness-table.ts';

const latenessQuery = z.strictObject({
  municipality_code: storedCode().describe('The municipality.'),
});

const day = z
  .object({
    date: z.iso.date().describe('The day, in UTC.'),
    counted: count.describe('New sessions and later ends that it reported within a day of the fact.'),
    within_seconds: z
      .record(z.string().max(5), count)
      .describe('How many of them came within this many seconds: `15`, `30`, `60` and so on up to `86400`.'),
  })
  .meta({
    id: 'LatenessDay',
    description: 'How late a source was on a day. Days without a report are left out.',
  });

const source = z
  .object({
    code: code.describe('Its code.'),
    name: name.describe('Its name.'),
    usual_delay_seconds: count.describe(
      'The delay that 99 % of its reports did not exceed in the last seven days, or today if that is longer and there are 20 reports today. With fewer than 20 in the week: the longer of `stale_after_minutes` and the longest delay seen.',
    ),
    days: z.array(day).max(DELAY_DAYS).describe('Today and the six days before, oldest first.'),
  })
  .meta({ id: 'SourceLateness', description: 'How late a source usually reports.' });

const latenessAnswer = z
  .object({ sources: z.array(source).describe('The municipality’s sources, by code.') })
  .meta({ id: 'LatenessResponse', description: 'How late sources usually report.' });

export type LatenessAnswer = z.infer<typeof latenessAnswer>;

/** How late the sources of a municipality usually report. */
export const getLateness = operation({
  id: 'getSourceLateness',
  method: 'GET',
  path: '/api/v2/admin/sources/lateness',
  access: { by: 'administrator', office: 'reads' },
  deadlineMs: 5_000,
  query: latenessQuery,
  answer: latenessAnswer,
  errors: ['MUNICIPALITY_NOT_ALLOWED', 'NOT_FOUND'],
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
