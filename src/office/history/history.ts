import * as z from 'zod';
import { instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import { code, dateTime, name, plate } from '../../serving/http/response-fields.ts';
import { fieldsWithAreas } from '../../storage/db/subscription-fields.ts';
import type { Change, RecordedSession, RecordedSubscription } from '../../storage/history/recorded.ts';

const revision = z.int().min(0).nullable();
const optionalInstant = dateTime.nullable().optional();

/** A session in the form of an import's line. Only its id if the plate has left it. */
export const sessionRecord = z
  .object({
    session_id: name.describe('Unique in its source.'),
    plate: plate.nullable().describe('The normalized plate; null if it has left the session.'),
    area_code: code.optional().describe('Where it was bought.'),
    starts_at: dateTime.optional().describe('Its start.'),
    ends_at: optionalInstant.describe('Its end. Null while a start-and-stop session is running.'),
    cancelled_at: optionalInstant.describe('From when it is cancelled. Null: it is not.'),
    revision: revision.optional().describe('The source’s revision, if it sends any.'),
  })
  .meta({
    id: 'RecordedSession',
    description:
      'A session in the form of an import’s line. If the plate has left it, only its id, with `plate` null.',
  });

/** As many as a line of an import may have. */
const MAX_PLATES = 500;
const MAX_AREAS = 500;
/** A line of an import has at most 500; payments add theirs. */
export const MAX_PERIODS = 10_000;

const plateSpan = z.object({
  plate,
  valid_from: dateTime.nullable().describe('From when it is on the subscription. Null: unbounded.'),
  valid_until: dateTime.nullable().describe('Until when. Null: unbounded.'),
});
const period = z.object({
  starts_at: dateTime.describe('Its start.'),
  ends_at: dateTime.describe('Its end.'),
});

/** A subscription in the form of an import's line, with one plate. Only its number if that plate has left it. */
export const subscriptionRecord = z
  .object({
    subscription_number: name.describe('Unique in the municipality.'),
    revision: revision.optional().describe('The office’s revision, if it sends any.'),
    type: code.optional().describe('The code of its type.'),
    plates: z
      .array(plateSpan)
      .max(MAX_PLATES)
      .describe('When the plate is on it. Other plates are not shown.'),
    ...fieldsWithAreas(
      z
        .union([z.literal('all'), z.array(code).max(MAX_AREAS)])
        .optional()
        .describe('`all`, or the codes of its areas.'),
      ({ oneOf, describeRecord }) => describeRecord(z.enum(oneOf).optional()),
      ({ describeRecord }) => describeRecord(optionalInstant),
    ),
    periods: z.array(period).max(MAX_PERIODS).optional().describe('Its paid periods.'),
  })
  .meta({
    id: 'RecordedSubscription',
    description:
      'A subscription in the form of an import’s line, with one plate. If that plate has left it, only its number, with `plates` empty.',
  });

type SessionRecord = z.infer<typeof sessionRecord>;
type SubscriptionRecord = z.infer<typeof subscriptionRecord>;

/** The fields of a change in every list. */
export const changeFields = {
  recorded_at: dateTime.describe('When the service stored the change.'),
  request_id: z
    .uuid()
    .nullable()
    .describe('The call that made the change. Null once the call log no longer has it.'),
  kind: z.enum(['parking_session', 'subscription']).describe('What changed.'),
  source_code: code.nullable().describe('The session’s source. Null for a subscription.'),
  key: name.describe('The session’s id, or the subscription’s number.'),
  record: z
    .union([sessionRecord, subscriptionRecord])
    .describe('The state after the change, in the form of an import’s line.'),
};

/** A change's record as an import's line has it, instants in a time zone. */
export function presentRecord(
  change: Change,
  plate: Plate,
  timeZone: string,
): SessionRecord | SubscriptionRecord {
  switch (change.kind) {
    case 'parking_session':
      return change.record === null
        ? { session_id: change.key, plate: null }
        : presentSession(change.record, plate, timeZone);
    case 'subscription':
      return change.record === null
        ? { subscription_number: change.key, plates: [] }
        : presentSubscription(change.record, plate, timeZone);
    default:
      return change satisfies never;
  }
}

/** A session, as it was recorded or as it is stored, as an import's line has it. */
export function presentSession(session: Omit<RecordedSession, 'plate'>, plate: Plate, timeZone: string) {
  const { shown, shownOrNull } = clockOf(timeZone);
  return {
    session_id: session.session_id,
    plate,
    area_code: session.area_code,
    starts_at: shown(session.starts_at),
    ends_at: shownOrNull(session.ends_at),
    cancelled_at: shownOrNull(session.cancelled_at),
    revision: session.revision,
  } satisfies SessionRecord;
}

/** Likewise a subscription, with this plate alone. */
export function presentSubscription(subscription: RecordedSubscription, plate: string, timeZone: string) {
  const { shown, shownOrNull } = clockOf(timeZone);
  return {
    subscription_number: subscription.subscription_number,
    revision: subscription.revision,
    type: subscription.type,
    plates: subscription.plates.map(({ valid_from, valid_until }) => ({
      plate,
      valid_from: shownOrNull(valid_from),
      valid_until: shownOrNull(valid_until),
    })),
    ...fieldsWithAreas(
      subscription.areas === 'all' ? ('all' as const) : [...subscription.areas],
      ({ name }) => subscription[name],
      ({ name }) => shownOrNull(subscription[name]),
    ),
    periods: subscription.periods.map(({ starts_at, ends_at }) => ({
      starts_at: shown(starts_at),
      ends_at: shown(ends_at),
    })),
  } satisfies SubscriptionRecord;
}

/** Shows instants in a time zone. */
export function clockOf(timeZone: string) {
  const shown = (ms: number): string => formatInstant(instant(ms), timeZone);
  return { shown, shownOrNull: (ms: number | null) => (ms === null ? null : shown(ms)) };
}
