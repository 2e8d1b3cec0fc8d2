import * as z from 'zod';
import { code, dateTime, name, plate } from '../../serving/http/response-fields.ts';
import { inJsonOrder } from '../../storage/db/subscription-fields.ts';

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
    ...inJsonOrder(
      z
        .union([z.literal('all'), z.array(code).max(MAX_AREAS)])
        .optional()
        .describe('`all`, or the codes of its areas.'),
      ({ oneOf, record }) => record(z.enum(oneOf).optional()),
      ({ record }) => record(optionalInstant),
    ),
    periods: z.array(period).max(MAX_PERIODS).optional().describe('Its paid periods.'),
  })
  .meta({
    id: 'RecordedSubscription',
    description:
      'A subscription in the form of an import’s line, with one plate. If that plate has left it, only its number, with `plates` empty.',
  });

export type SessionRecord = z.infer<typeof sessionRecord>;
export type SubscriptionRecord = z.infer<typeof subscriptionRecord>;

const HISTORY_KINDS = ['parking_session', 'subscription'] as const;

/** The fields of a change in every list. */
export const changeFields = {
  recorded_at: dateTime.describe('When the service stored the change.'),
  request_id: z
    .uuid()
    .nullable()
    .describe('The call that made the change. Null once the call log no longer has it.'),
  kind: z.enum(HISTORY_KINDS).describe('What changed.'),
  source_code: code.nullable().describe('The session’s source. Null for a subscription.'),
  key: name.describe('The session’s id, or the subscription’s number.'),
  record: z
    .union([sessionRecord, subscriptionRecord])
    .describe('The state after the change, in the form of an import’s line.'),
};
