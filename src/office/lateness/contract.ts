import * as z from 'zod';
import { DELAY_DAYS } from '../../domain/patrol/source-delay.ts';
import { storedCode } from '../../serving/administration/fields.ts';
import { code, count, name } from '../../serving/http/response-fields.ts';

export const latenessQuery = z.strictObject({
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

export const latenessAnswer = z
  .object({ sources: z.array(source).describe('The municipality’s sources, by code.') })
  .meta({ id: 'LatenessResponse', description: 'How late sources usually report.' });

export type LatenessAnswer = z.infer<typeof latenessAnswer>;
