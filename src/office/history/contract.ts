import * as z from 'zod';
import { code, dateTime, name, plate } from '../../serving/http/response-fields.ts';
import { APPROVALS } from '../../storage/db/schema/subscriptions.ts';

const revision = z.int().min(0).nullable();
const optionalInstant = dateTime.nullable().optional();

/** A session as an import's line has it. Once the plate has left it, only the session's id. */
export const sessionRecord = z
  .object({
    session_id: name.describe('Unique in its source.'),
    plate: plate.nullable().describe('The normalized plate; null where it has left the session.'),
    area_code: code.optional().describe('Where it was bought.'),
    starts_at: dateTime.optional().describe('Its start.'),
    ends_at: optionalInstant.describe('Its end. Null while a start-and-stop session runs.'),
    cancelled_at: optionalInstant.describe('From when on it is cancelled. Null: it is not.'),
    revision: revision.optional().describe('The source’s revision, if it sends any.'),
  })
  .meta({
    id: 'RecordedSession',
    description:
      'A session as an import’s line has it. Where the plate has left it, its id alone, with `plate` null.',
  });

/** As many as a line of an import may have. */
const MAX_PLATES = 500;
const MAX_AREAS = 500;
/** A line of an import has at most 500; payments add theirs. */
export const MAX_PERIODS = 10_000;

const plateSpan = z.object({
  plate,
  valid_from: dateTime.nullable().describe('From when on it is on the subscription. Null: it has no start.'),
  valid_until: dateTime.nullable().describe('Until when. Null: for ever.'),
});
const period = z.object({
  starts_at: dateTime.describe('Its start.'),
  ends_at: dateTime.describe('Its end.'),
});

/** A subscription as an import's line has it, with one plate alone. Once that has left it, only the number. */
export const subscriptionRecord = z
  .object({
    subscription_number: name.describe('Unique in the municipality.'),
    revision: revision.optional().describe('The office’s revision, if it sends any.'),
    type: code.optional().describe('The code of its type.'),
    plates: z
      .array(plateSpan)
      .max(MAX_PLATES)
      .describe('When the plate is on it. Other plates of it are not shown.'),
    approval: z.enum(APPROVALS).optional().describe('How the application stands.'),
    authorized_from: optionalInstant.describe('From when it is authorized. Null: unbounded.'),
    authorized_until: optionalInstant.describe('Until when. Null: unbounded.'),
    areas: z
      .union([z.literal('all'), z.array(code).max(MAX_AREAS)])
      .optional()
      .describe('`all`, or the codes of its areas.'),
    suspended_from: optionalInstant.describe('From when it is suspended. Null: it is not.'),
    suspended_until: optionalInstant.describe('Until when. Null: for good.'),
    revoked_at: optionalInstant.describe('When it is revoked. Null: it is not.'),
    periods: z.array(period).max(MAX_PERIODS).optional().describe('What was paid for.'),
  })
  .meta({
    id: 'RecordedSubscription',
    description:
      'A subscription as an import’s line has it, with one plate alone. Where that plate has left it, its number alone, with no `plates`.',
  });

export type SessionRecord = z.infer<typeof sessionRecord>;
export type SubscriptionRecord = z.infer<typeof subscriptionRecord>;

const HISTORY_KINDS = ['parking_session', 'subscription'] as const;

/** The fields of a change in every list. */
export const changeFields = {
  recorded_at: dateTime.describe('When the service stored it, by its own clock.'),
  request_id: z
    .uuid()
    .nullable()
    .describe('The call that brought it. Null once the call log no longer has it.'),
  kind: z.enum(HISTORY_KINDS).describe('What it is a change of.'),
  source_code: code.nullable().describe('The session’s source. Null for a subscription.'),
  key: name.describe('The session’s id, or the subscription’s number.'),
  record: z
    .union([sessionRecord, subscriptionRecord])
    .describe('How it stood after the change, as an import’s line has it.'),
};
