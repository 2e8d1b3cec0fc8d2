import * as z from 'zod';
import { customIssue, holdsNoToken, instantText, NO_TOKEN } from '../../base/forms/fields.ts';
import { holdsSteering } from '../../base/text/text.ts';
import { IMPORT_ENDS_WITHIN_MS } from '../../domain/import-bounds.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Contract } from '../../serving/contract.ts';
import { IMPORT_BODY } from '../../serving/http/body.ts';
import { count, openCode } from '../../serving/http/response-fields.ts';
import { CODE_LENGTH, NAME_LENGTH } from '../../storage/db/schema/columns.ts';
import { APPROVALS } from '../../storage/db/schema/subscriptions.ts';

/** For `refine`. The others of a line are reported too. */
const wrong = (en: string, it: string) => ({ params: customIssue({ en, it }) });

/** The key of a session in its source, or of a subscription in its municipality: 1 to 200 characters. */
const key = z
  .string()
  .trim()
  .min(1)
  .max(NAME_LENGTH)
  // Halves of a character: the database would not return them unchanged.
  .refine(
    (text) => text.isWellFormed() && !holdsSteering(text),
    wrong(
      'must not have control characters, nor any that turn the direction of text',
      'non deve avere caratteri di controllo, né caratteri che invertono la direzione del testo',
    ),
  )
  .refine(holdsNoToken, NO_TOKEN);

/** A code of the configuration. */
const code = z.string().trim().min(1).max(CODE_LENGTH);

/** A plate as its sender writes it. A plate that cannot be normalized has an error code of its own, and is not refused here. */
const plate = z.string();

/** The version of a line in its sender's own count. Missing or null: the sender counts none. */
const revision = z.int().min(0).nullish();

/** An instant that may be missing or null: no bound, or not yet. */
const optionalInstant = instantText.nullish();

/** For `refine`: the end must be after the start, unless either is missing. */
function inOrder<Name extends string>(start: Name, end: Name) {
  const isLater = (line: { readonly [Bound in Name]?: Instant | null | undefined }): boolean =>
    (line[end] ?? Infinity) > (line[start] ?? -Infinity);
  const text = wrong(`must be later than ${start}`, `deve essere successivo a ${start}`);
  return [isLater, { path: [end] as string[], ...text }] as const;
}

/** The municipality, if the credential leaves a choice. Refuses unknown parameters: a misspelt `dry_run` would store the lines. */
export const subscriptionImportQuery = z.strictObject({
  municipality_code: code
    .optional()
    .describe('The municipality; needed where the credential has several, inactive ones too.'),
  dry_run: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: every line is judged and counted, and nothing is stored.'),
  source_code: code
    .optional()
    .describe('Has no effect: subscriptions have no source. A sender of both may name it here too.'),
});

/** The source too, if the credential is bound to none. */
export const sessionImportQuery = subscriptionImportQuery.extend({
  source_code: code.optional().describe('The source; needed where the credential is bound to none.'),
});

/** One line of a session import. Refuses unknown properties: they would be lost. */
export const sessionLine = z
  .strictObject({
    session_id: key.describe('Unique in its source: the key of the line.'),
    plate: plate.describe('The plate, as it was typed; normalized as in the plate check.'),
    area_code: code.describe('The area where it was bought; an inactive one too.'),
    starts_at: instantText.describe('ISO 8601 with offset.'),
    ends_at: optionalInstant.describe('Not earlier than the start. Null or absent while it runs.'),
    cancelled_at: optionalInstant.describe('ISO 8601 with offset. From then on the session is not valid.'),
    revision: revision.describe(
      'A line with a lower one than is stored changes nothing; one without keeps the stored one.',
    ),
  })
  .refine(({ starts_at, ends_at }) => (ends_at ?? Infinity) >= starts_at, {
    path: ['ends_at'],
    ...wrong('must not be earlier than starts_at', 'non deve essere precedente a starts_at'),
  })
  .meta({
    id: 'SessionLine',
    description:
      'A session as its source reports it. A line replaces the stored session as a whole: an extension, a stop and a cancellation are the same line again with the new values. Another property rejects the line.',
  });

const plateLine = z
  .strictObject({
    plate: plate.describe('The plate, as it was typed.'),
    valid_from: optionalInstant.describe('ISO 8601 with offset. Null or absent: it has no start.'),
    valid_until: optionalInstant.describe('Later than `valid_from`. Null or absent: for ever.'),
  })
  .refine(...inOrder('valid_from', 'valid_until'))
  .meta({ id: 'SubscriptionPlate', description: 'A plate of a subscription.' });

const periodLine = z
  .strictObject({
    starts_at: instantText.describe('ISO 8601 with offset.'),
    ends_at: instantText.describe('ISO 8601 with offset, later than the start.'),
  })
  .refine(...inOrder('starts_at', 'ends_at'))
  .meta({ id: 'SubscriptionPeriod', description: 'A time that was paid.' });

const NO_OVERLAP = wrong('must not overlap', 'non devono sovrapporsi');

/** A fleet's subscription, one renewed by the day for a year, and one for every street of a large city. */
const MAX_ITEMS = 500;

/** Judges the list's length first: of a union zod says only that neither form fits. */
const areaCodes = z.preprocess(
  (input, { issues }) => {
    if (Array.isArray(input) && input.length > MAX_ITEMS) {
      issues.push({ code: 'too_big', origin: 'array', maximum: MAX_ITEMS, input });
    }
    return input;
  },
  z.union([z.literal('all'), z.array(code).min(1).max(MAX_ITEMS)]),
);

type Period = z.infer<typeof periodLine>;

function someOverlap(periods: readonly Period[]): boolean {
  const sorted = periods.toSorted((one, other) => one.starts_at - other.starts_at);
  return sorted.some(({ starts_at }, index) => {
    const before = sorted[index - 1];
    return before !== undefined && starts_at < before.ends_at;
  });
}

/** One line of a subscription import. Refuses unknown properties: they would be lost. */
export const subscriptionLine = z
  .strictObject({
    subscription_number: key.describe('Unique in the municipality: the key of the line.'),
    revision: revision.describe(
      'A line with a lower one than is stored changes nothing; one without keeps the stored one.',
    ),
    type: code.describe('The code of its type.'),
    plates: z.array(plateLine).max(MAX_ITEMS).describe('Each with its own validity.'),
    approval: z.enum(APPROVALS).describe('What the office decided.'),
    authorized_from: optionalInstant.describe('ISO 8601 with offset. Null or absent: unbounded.'),
    authorized_until: optionalInstant.describe('ISO 8601 with offset. Null or absent: unbounded.'),
    areas: areaCodes.describe('`all`, or the codes of its areas.'),
    suspended_from: optionalInstant.describe('ISO 8601 with offset. Null or absent: not suspended.'),
    suspended_until: optionalInstant.describe('Needs `suspended_from`. Null or absent: for good.'),
    revoked_at: optionalInstant.describe('ISO 8601 with offset. Null or absent: not revoked.'),
    periods: z
      .array(periodLine)
      .max(MAX_ITEMS)
      .refine((periods) => !someOverlap(periods), NO_OVERLAP)
      .describe('The times that were paid; they do not overlap.'),
  })
  .refine(...inOrder('authorized_from', 'authorized_until'))
  .refine((line) => (line.suspended_until ?? null) === null || (line.suspended_from ?? null) !== null, {
    path: ['suspended_until'],
    ...wrong('requires suspended_from as well', 'richiede anche suspended_from'),
  })
  .refine(...inOrder('suspended_from', 'suspended_until'))
  .meta({
    id: 'SubscriptionLine',
    description:
      'A subscription as its office reports it. A line replaces the stored subscription as a whole. Another property rejects the line.',
  });

/** Why a line is rejected. The codes mean the same as for a whole request. */
export const LINE_CODES = [
  'INVALID_JSON',
  'INVALID_REQUEST',
  'INVALID_PLATE',
  'AREA_NOT_FOUND',
  'SUBSCRIPTION_TYPE_NOT_FOUND',
] as const;

/** Rejected lines that an answer lists. */
export const MAX_ERRORS = 1_000;

const rejectedLine = z
  .object({
    line: z.int().min(1).describe('Its number, from 1; blank lines are numbered too.'),
    code: openCode(LINE_CODES).describe('Why. The same codes mean the same as for a whole request.'),
    message: z.string().max(2_000).describe('Which fields are wrong, for people.'),
  })
  .meta({ id: 'RejectedLine', description: 'A line that was not stored.' });

const importResponse = z
  .object({
    received: count.describe('Lines that are not blank.'),
    created: count.describe('Stored for the first time.'),
    updated: count.describe('Changed what was stored.'),
    unchanged: count.describe('Repeated what is stored, was older, or gave way to a later line.'),
    rejected: count.describe('Not stored. A bad line does not affect the others.'),
    erased: count.describe('Of the unchanged lines, those of which an erased plate was left out.'),
    errors: z
      .array(rejectedLine)
      .max(MAX_ERRORS)
      .describe(`The first ${MAX_ERRORS} rejected lines, in the order of the file.`),
  })
  .meta({ id: 'ImportResponse', description: 'What became of the lines.' });

export type ImportResponse = z.infer<typeof importResponse>;

const access = {
  by: 'credential',
  scope: 'import',
  budget: 'imports',
} as const;

const common = {
  method: 'POST',
  deadlineMs: IMPORT_ENDS_WITHIN_MS,
  body: { kind: 'lines', maxBytes: IMPORT_BODY },
  answer: importResponse,
} as const;

/** Imports parking sessions, which operators send. */
export const importSessions = {
  ...common,
  id: 'importSessions',
  path: '/api/v2/imports/sessions',
  access,
  query: sessionImportQuery,
  errors: ['SOURCE_NOT_FOUND', 'BUSY'],
  log: { operation: 'import_sessions' },
  takesOfficer: true,
} as const satisfies Contract;

/** Imports subscriptions: the office sends them. */
export const importSubscriptions = {
  ...common,
  id: 'importSubscriptions',
  path: '/api/v2/imports/subscriptions',
  access: { ...access, importsBeyondSource: true },
  query: subscriptionImportQuery,
  errors: ['BUSY'],
  log: { operation: 'import_subscriptions' },
  takesOfficer: true,
} as const satisfies Contract;
