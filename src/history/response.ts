import * as z from 'zod';
import { APPROVALS } from '../db/schema/subscriptions.ts';
import { code, dateTime, name, plate } from '../http/response-fields.ts';

const revision = z.int().min(0).nullable();

/** A session as an import's line has it. Of a plate that left it, the session's id is all that is said. */
export const sessionRecord = z.object({
  session_id: name,
  plate: plate.nullable(),
  area_code: code.optional(),
  starts_at: dateTime.optional(),
  ends_at: dateTime.nullable().optional(),
  cancelled_at: dateTime.nullable().optional(),
  revision: revision.optional(),
});

/** As many as a line of an import may have. */
const MOST_PLATES = 500;
const MOST_PERIODS = 500;
const MOST_AREAS = 500;

const plateSpan = z.object({ plate, valid_from: dateTime.nullable(), valid_until: dateTime.nullable() });
const period = z.object({ starts_at: dateTime, ends_at: dateTime });

/** A subscription as an import's line has it, with one plate alone. Of one that left it, its number is all that is said. */
export const subscriptionRecord = z.object({
  subscription_number: name,
  revision: revision.optional(),
  type: code.optional(),
  plates: z.array(plateSpan).max(MOST_PLATES),
  approval: z.enum(APPROVALS).optional(),
  authorized_from: dateTime.nullable().optional(),
  authorized_until: dateTime.nullable().optional(),
  areas: z.union([z.literal('all'), z.array(code).max(MOST_AREAS)]).optional(),
  suspended_from: dateTime.nullable().optional(),
  suspended_until: dateTime.nullable().optional(),
  revoked_at: dateTime.nullable().optional(),
  periods: z.array(period).max(MOST_PERIODS).optional(),
});

export type SessionRecord = z.infer<typeof sessionRecord>;
export type SubscriptionRecord = z.infer<typeof subscriptionRecord>;

export const HISTORY_KINDS = ['parking_session', 'subscription'] as const;

/** What every list of changes says of one. */
export const changeFields = {
  recorded_at: dateTime,
  request_id: z.uuid().nullable(),
  kind: z.enum(HISTORY_KINDS),
  source_code: code.nullable(),
  key: name,
  record: z.union([sessionRecord, subscriptionRecord]),
};
