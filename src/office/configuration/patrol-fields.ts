import * as z from 'zod';
import { parseInstant } from '../../domain/instant.ts';
import { PAID_DAYS, timeOfDayOf } from '../../domain/patrol/paid-hours.ts';
import { params } from '../../serving/administration/fields.ts';
import { MAX_HOLIDAYS, MAX_OBSERVATION_MINUTES, MAX_OVERSTAY_MINUTES, MAX_PAID_SPANS } from './limits.ts';

/** A calendar date, such as `2026-12-25`. */
const localDate = () =>
  z
    .string()
    .trim()
    .refine(
      (text) => /^\d{4}-\d\d-\d\d$/.test(text) && parseInstant(`${text}T00:00Z`) !== null,
      params('must be a date such as 2026-12-25', 'deve essere una data come 2026-12-25'),
    )
    .meta({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', minLength: 10, maxLength: 10 });

const hasNoRepetition = (values: readonly string[]): boolean => new Set(values).size === values.length;
const EACH_ONCE = params('must not repeat a value', 'nomina qualcosa due volte');

const TIME = '([01][0-9]|2[0-3]):[0-5][0-9]';
const timeOfDay = (pattern: string, en: string, it: string) =>
  z
    .string()
    .trim()
    .refine((text) => new RegExp(pattern).test(text), params(en, it))
    .meta({ pattern, minLength: 5, maxLength: 5 });

const paidSpan = z
  .strictObject({
    days: z
      .array(z.enum(PAID_DAYS))
      .min(1)
      .max(PAID_DAYS.length)
      .refine(hasNoRepetition, EACH_ONCE)
      .describe('Days of the week; `holiday` means the municipality’s holidays.'),
    from: timeOfDay(`^${TIME}$`, 'must be a time such as 08:00', 'deve essere un orario come 08:00').describe(
      'Start in local time, included.',
    ),
    to: timeOfDay(
      `^(${TIME}|24:00)$`,
      'must be a time such as 20:00, at most 24:00',
      'deve essere un orario come 20:00, al massimo 24:00',
    ).describe('End in local time, excluded, later than `from`. `24:00` is the end of the day.'),
  })
  .refine(({ from, to }) => timeOfDayOf(from) < timeOfDayOf(to), {
    path: ['to'],
    ...params('must be later than from', 'deve essere successivo a from'),
  })
  .meta({
    id: 'PaidHours',
    description:
      'Hours in which parking must be paid on some days, in local time. When clocks go forward, the skipped hour does not count; when they go back, the repeated hour counts twice.',
  });

/** The fields of an area for patrol. */
export const patrolDetails = {
  paid_hours: z
    .array(paidSpan)
    .max(MAX_PAID_SPANS)
    .nullable()
    .optional()
    .describe(
      'When parking must be paid there. Null: always. Empty: never. A municipality’s areas may have 20,000 entries together. Default: null.',
    ),
};

const minutes = (max: number) => z.int().min(0).max(max);

/** The fields of a municipality for patrol. */
export const patrolSettings = {
  holidays: z
    .array(localDate())
    .max(MAX_HOLIDAYS)
    .refine(hasNoRepetition, EACH_ONCE)
    .optional()
    .describe(
      'Local dates on which only the paid hours of `holiday` count, without repetition. Default: empty.',
    ),
  observation_minutes: minutes(MAX_OBSERVATION_MINUTES)
    .optional()
    .describe('Minutes that an officer waits, since the driver may be paying. Default: 0.'),
  overstay_minutes: minutes(MAX_OVERSTAY_MINUTES)
    .optional()
    .describe('Minutes after the end of an entitlement that an officer tolerates. Default: 0.'),
};
