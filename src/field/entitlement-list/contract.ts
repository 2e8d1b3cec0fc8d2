import * as z from 'zod';
import { optionalText } from '../../serving/http/fields.ts';
import { code, count, dateTime, flag } from '../../serving/http/response-fields.ts';
import { customIssue } from '../../serving/http/validation.ts';

/** The most lines of an answer, and how many it has by default. */
const MAX_LINES = 10_000;
export const DEFAULT_LINES = 5_000;

const NO_LIMIT = customIssue({
  en: `must be a whole number from 1 to ${MAX_LINES}`,
  it: `deve essere un numero intero da 1 a ${MAX_LINES}`,
});

/** Any text: one that is not the code of an active facility is not found. */
export const listPath = z.object({
  area_code: z.string().min(1).describe('The code of an active facility of the municipality.'),
});

/** Other parameters are ignored. A cursor that the service did not make is gone. */
export const listQuery = z.object({
  municipality_code: optionalText.describe(
    'The municipality; needed where the credential has several, inactive ones too.',
  ),
  cursor: optionalText.describe(
    'The `cursor` of the answer before. Absent: the full list from its beginning.',
  ),
  limit: optionalText
    .refine((text) => text === undefined || (/^[0-9]{1,5}$/.test(text) && isLimit(Number(text))), {
      params: NO_LIMIT,
    })
    .transform((text) => (text === undefined ? undefined : Number(text)))
    .meta({ pattern: '^[0-9]{1,5}$', maxLength: 5 })
    .describe('The most entries and removals of the answer, 1 to 10,000. Absent: 5,000.'),
});

const isLimit = (lines: number): boolean => lines >= 1 && lines <= MAX_LINES;

/** HMAC-SHA-256 under a key that follows from the caller's access token. */
const plateHash = z
  .object({
    algorithm: z.literal('HMAC-SHA-256').describe('HMAC-SHA-256 of the normalized plate in UTF-8.'),
    bits: z
      .literal(96)
      .describe('How many of its bits an entry has, from the first on, as base64url without padding.'),
    key_id: z
      .string()
      .regex(/^[0-9a-f]{8}$/)
      .max(8)
      .describe(
        'The first 8 hexadecimal digits of SHA-256 of the key. If they differ from those of your own token, the list is not for it.',
      ),
  })
  .meta({ id: 'EntitlementListPlateHash', description: 'How the plates of the list are hashed.' });

const listedFacility = z
  .object({
    service_enabled: flag.describe('Whether its service is on.'),
    plate_control_enabled: flag.describe('Whether plates are controlled there.'),
    subscription_access: flag.describe('Whether subscriptions open its gate.'),
    entry_grace_minutes: count.describe('Minutes before a session’s start in which an entry is let in.'),
    exit_grace_minutes: count.describe('Minutes after a session’s end in which an exit is let out.'),
  })
  .meta({ id: 'EntitlementListFacility', description: 'The facility’s current settings.' });

const headerLine = z
  .object({
    type: z.literal('list').describe('Always `list`.'),
    version: z.literal(1).describe('The version of the format.'),
    mode: z
      .enum(['full', 'delta'])
      .describe(
        '`full`: what there is. `delta`: what has changed since the list that the cursor belongs to.',
      ),
    municipality_code: code.describe('The municipality.'),
    area_code: code.describe('The facility.'),
    as_of: dateTime.describe('The instant of the list: the same in all of its answers.'),
    valid_until: dateTime.describe('From then on the list must not be used.'),
    refresh_after_seconds: z.literal(60).describe('After how long to ask for what has changed.'),
    full_after_seconds: z.literal(86_400).describe('After how long to take the full list again.'),
    plate_hash: plateHash.describe('How its plates are hashed.'),
    facility: listedFacility.describe('The facility’s settings.'),
  })
  .meta({ id: 'EntitlementListHeader', description: 'The first line.' });

/** Twelve bytes, base64url. */
const twelveBytes = z
  .string()
  .regex(/^[A-Za-z0-9_-]{16}$/)
  .max(16);

const entry = {
  type: z.literal('entry').describe('Always `entry`.'),
  id: twelveBytes.describe(
    'Identifies one right of one plate. An entry replaces the one that the gate has under this id.',
  ),
  plate: twelveBytes.describe('The hash of the plate.'),
};

const sessionLine = z
  .object({
    ...entry,
    kind: z.literal('session').describe('What the right is.'),
    from: dateTime.describe('Its start.'),
    until: dateTime.describe('Its end; of a session that still runs, the latest that its source allows.'),
    cancelled_at: dateTime
      .optional()
      .describe(
        'Only for a future cancellation: from then on the session no longer counts, not even within a tolerance.',
      ),
  })
  .meta({ id: 'EntitlementListSession', description: 'A parking session in the facility.' });

const validInterval = z
  .object({
    from: dateTime.describe('Its first instant.'),
    until: dateTime.nullable().describe('Its end, which it does not contain. Null: none.'),
  })
  .meta({ id: 'EntitlementListInterval', description: 'A stretch of time.' });

const subscriptionLine = z
  .object({
    ...entry,
    kind: z.literal('subscription').describe('What the right is.'),
    /** The periods of a subscription, each cut by the validities of the plate. */
    valid: z
      .array(validInterval)
      .min(1)
      .max(100_000)
      .describe('Those instants, in the order of time. Intervals that touch are one.'),
  })
  .meta({
    id: 'EntitlementListSubscription',
    description: 'A plate on a subscription that is valid in the facility at some instant from `as_of` on.',
  });

const removedLine = z
  .object({
    type: z.literal('removed').describe('Always `removed`.'),
    id: twelveBytes.describe('Its id. Ignore one that the gate does not know.'),
  })
  .meta({ id: 'EntitlementListRemoval', description: 'An entry that is gone.' });

const endLine = z
  .object({
    type: z.literal('end').describe('Always `end`.'),
    cursor: z.string().min(1).max(2_000).describe('Continues from here. It may be used again.'),
    more: flag.describe(
      'Whether the cursor continues this list. False: it answers what changes from now on.',
    ),
    lines: count.describe('How many entries and removals the answer has.'),
  })
  .meta({ id: 'EntitlementListEnd', description: 'The last line: an answer without it is not whole.' });

/** A line of the answer. */
export const listLine = z.union([headerLine, sessionLine, subscriptionLine, removedLine, endLine]);

export type ListQuery = z.infer<typeof listQuery>;
export type HeaderLine = z.infer<typeof headerLine>;
export type SessionLine = z.infer<typeof sessionLine>;
export type SubscriptionLine = z.infer<typeof subscriptionLine>;
export type RemovedLine = z.infer<typeof removedLine>;
export type EndLine = z.infer<typeof endLine>;
export type ListLine = z.infer<typeof listLine>;
