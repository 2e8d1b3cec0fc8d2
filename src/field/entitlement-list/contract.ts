import * as z from 'zod';
import { customIssue, optionalText } from '../../base/forms/fields.ts';
import type { Contract } from '../../serving/contract.ts';
import { code, count, dateTime, flag } from '../../serving/http/response-fields.ts';

/** Bounds an answer. */
const MAX_LINES = 10_000;
export const DEFAULT_LINES = 5_000;

const NO_LIMIT = customIssue({
  en: `must be a whole number from 1 to ${MAX_LINES}`,
  it: `deve essere un numero intero da 1 a ${MAX_LINES}`,
});

/** Any text. A text that is not the code of an active facility is a 404. */
export const listPath = z.object({
  area_code: z.string().min(1).describe('The code of an active facility of the municipality.'),
});

/** A cursor that the service did not make is a 410. */
export const listQuery = z.strictObject({
  municipality_code: optionalText.describe(
    'The municipality. Required if the credential has several, inactive ones included.',
  ),
  cursor: optionalText.describe(
    'The `cursor` of the previous answer. Absent: the full list from its beginning.',
  ),
  limit: optionalText
    .refine((text) => text === undefined || (/^[0-9]{1,5}$/.test(text) && isLimit(Number(text))), {
      params: NO_LIMIT,
    })
    .transform((text) => (text === undefined ? undefined : Number(text)))
    .meta({ pattern: '^[0-9]{1,5}$', maxLength: 5 })
    .describe('Maximum number of entries and removals, 1 to 10,000. Absent: 5,000.'),
});

const isLimit = (lines: number): boolean => lines >= 1 && lines <= MAX_LINES;

/** HMAC-SHA-256 under a key that follows from the caller's access token. */
const plateHash = z
  .object({
    algorithm: z.literal('HMAC-SHA-256').describe('HMAC-SHA-256 of the normalized plate in UTF-8.'),
    bits: z
      .literal(96)
      .describe('How many leading bits of the hash an entry has, in base64url without padding.'),
    key_id: z
      .string()
      .regex(/^[0-9a-f]{8}$/)
      .max(8)
      .describe(
        'The first 8 hexadecimal digits of the key’s SHA-256. If your own token’s key has others, the list is not for it.',
      ),
  })
  .meta({ id: 'EntitlementListPlateHash', description: 'How the plates of the list are hashed.' });

const listedFacility = z
  .object({
    service_enabled: flag.describe('Whether its gate may open at all.'),
    plate_control_enabled: flag.describe('Whether plates are checked there; if not, its gate stays closed.'),
    subscription_access: flag.describe('Whether subscriptions open its gate.'),
    entry_grace_minutes: count.describe('Entry tolerance: minutes before a session’s start.'),
    exit_grace_minutes: count.describe('Exit tolerance: minutes after a session’s end.'),
  })
  .meta({ id: 'EntitlementListFacility', description: 'The facility’s current settings.' });

const headerLine = z
  .object({
    type: z.literal('list').describe('Always `list`.'),
    version: z.literal(1).describe('The version of the format.'),
    mode: z
      .enum(['full', 'delta'])
      .describe('`full`: all entries. `delta`: the changes since the list that the cursor belongs to.'),
    municipality_code: code.describe('The municipality.'),
    area_code: code.describe('The facility.'),
    as_of: dateTime.describe('The instant of the list: the same in all of its pages.'),
    valid_until: dateTime.describe('From this instant, the list must not be used.'),
    refresh_after_seconds: z.literal(60).describe('Ask for changes after this many seconds.'),
    full_after_seconds: z.literal(86_400).describe('Fetch the full list again after this many seconds.'),
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
    'Identifies one entitlement of one plate. An entry replaces the gate’s entry with the same id.',
  ),
  plate: twelveBytes.describe('The hash of the plate.'),
};

const sessionLine = z
  .object({
    ...entry,
    kind: z.literal('session').describe('The kind of entitlement.'),
    from: dateTime.describe('Its start.'),
    until: dateTime.describe('Its end; for a session that still runs, the latest that its source allows.'),
    cancelled_at: dateTime
      .optional()
      .describe(
        'Only for a future cancellation: from this instant the session does not count, not even within a tolerance.',
      ),
  })
  .meta({ id: 'EntitlementListSession', description: 'A parking session in the facility.' });

const validInterval = z
  .object({
    from: dateTime.describe('Its first instant.'),
    until: dateTime.nullable().describe('Its end, excluded. Null: it has no end.'),
  })
  .meta({ id: 'EntitlementListInterval', description: 'A time interval.' });

const subscriptionLine = z
  .object({
    ...entry,
    kind: z.literal('subscription').describe('The kind of entitlement.'),
    /** The subscription's periods, intersected with the validities of the plate. */
    valid: z
      .array(validInterval)
      .min(1)
      .max(100_000)
      .describe('When it is valid, in order of time. Adjacent intervals are merged.'),
  })
  .meta({
    id: 'EntitlementListSubscription',
    description: 'A plate on a subscription that is valid in the facility at some instant from `as_of` on.',
  });

const removedLine = z
  .object({
    type: z.literal('removed').describe('Always `removed`.'),
    id: twelveBytes.describe('The entry’s id. Ignore an id that the gate does not have.'),
  })
  .meta({ id: 'EntitlementListRemoval', description: 'A removed entry.' });

const endLine = z
  .object({
    type: z.literal('end').describe('Always `end`.'),
    cursor: z.string().min(1).max(2_000).describe('Continues from here. It can be used repeatedly.'),
    more: flag.describe('True: the cursor continues this list. False: it returns later changes.'),
    lines: count.describe('How many entries and removals the answer has.'),
  })
  .meta({ id: 'EntitlementListEnd', description: 'The last line. An answer without it is incomplete.' });

/** A line of the answer. */
const listLine = z.union([headerLine, sessionLine, subscriptionLine, removedLine, endLine]);

export type ListQuery = z.infer<typeof listQuery>;
export type HeaderLine = z.infer<typeof headerLine>;
export type SessionLine = z.infer<typeof sessionLine>;
export type SubscriptionLine = z.infer<typeof subscriptionLine>;
export type RemovedLine = z.infer<typeof removedLine>;
export type EndLine = z.infer<typeof endLine>;
export type ListLine = z.infer<typeof listLine>;

/** The list that a gate needs to let the right cars in while it is offline. */
export const entitlementList = {
  id: 'listEntitlements',
  method: 'GET',
  path: '/api/v2/facilities/:area_code/entitlement-list',
  access: { by: 'credential', scope: 'entitlement_list', budget: 'lists' },
  // No car waits for it. A page takes a fraction of this.
  deadlineMs: 10_000,
  query: listQuery,
  pathParameters: listPath,
  answer: { line: listLine },
  errors: ['SERVICE_DISABLED', 'AREA_FORBIDDEN', 'AREA_NOT_FOUND', 'CURSOR_GONE'],
  log: { operation: 'entitlement_list' },
} as const satisfies Contract;
