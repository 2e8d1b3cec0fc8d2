import { ENVELOPE, ENVELOPE_WORDS, inEnvelope } from '../openapi/envelope.ts';
import { describe, type Examples, type FeatureDescription } from '../openapi/parts.ts';
import { input, output } from '../openapi/words.ts';
import { importSessions, importSubscriptions } from './operations.ts';
import {
  type ImportResponse,
  importResponse,
  rejectedLine,
  sessionImportQuery,
  subscriptionImportQuery,
} from './schemas.ts';
import { sessionLine } from './session-line.ts';
import { periodLine, plateLine, subscriptionLine } from './subscription-line.ts';

const MUNICIPALITY = 'The municipality; needed where the credential has several active ones.';

const SESSION_QUERY = input('SessionImportQuery', sessionImportQuery, 'What the file is for.', {
  municipality_code: MUNICIPALITY,
  source_code: 'The source; needed where the credential is bound to none.',
});

const SUBSCRIPTION_QUERY = input(
  'SubscriptionImportQuery',
  subscriptionImportQuery,
  'What the file is for.',
  {
    municipality_code: MUNICIPALITY,
  },
);

const INSTANT = 'ISO 8601 with offset';

const revisionWords = (title: string, change: string): string =>
  `A line with a lower one than the stored ${title}’s changes nothing, so that an old file sent again cannot undo ${change}. Null or absent: the line replaces the ${title} and leaves it its revision.`;

export const SESSION_LINE = input(
  'SessionLine',
  sessionLine,
  'A session as its source tells it. A line replaces the stored session as a whole: an extension, a stop and a cancellation are the same line again with the new values. Another property rejects the line.',
  {
    session_id: 'Unique in its source: the key of the line.',
    plate: 'The plate, as it was typed; normalized as in the plate check.',
    area_code: 'The area where it was bought; an inactive one too.',
    starts_at: `${INSTANT}.`,
    ends_at: `${INSTANT}, later than the start. Null or absent while a start-and-stop session runs.`,
    cancelled_at: `${INSTANT}. From then on the session is not valid.`,
    revision: revisionWords('session', 'an extension'),
  },
);

export const PLATE_LINE = input('SubscriptionPlate', plateLine, 'A plate of a subscription.', {
  plate: 'The plate, as it was typed.',
  valid_from: `${INSTANT}. Null or absent: from ever.`,
  valid_until: `${INSTANT}, later than \`valid_from\`. Null or absent: for ever.`,
});

export const PERIOD_LINE = input('SubscriptionPeriod', periodLine, 'A time that was paid.', {
  starts_at: `${INSTANT}.`,
  ends_at: `${INSTANT}, later than the start.`,
});

export const SUBSCRIPTION_LINE = input(
  'SubscriptionLine',
  subscriptionLine,
  'A subscription as its office tells it. A line replaces the stored subscription as a whole. Another property rejects the line.',
  {
    subscription_number: 'Unique in the municipality: the key of the line.',
    revision: revisionWords('subscription', 'a renewal'),
    type: 'The code of its type.',
    plates: 'Its plates, each with its own validity.',
    approval: 'What the office decided.',
    authorized_from: `${INSTANT}. Null or absent: unbounded.`,
    authorized_until: `${INSTANT}. Null or absent: unbounded.`,
    areas: '`all`, or the codes of the areas that it is limited to.',
    suspended_from: `${INSTANT}. Null or absent: not suspended.`,
    suspended_until: `${INSTANT}; needs \`suspended_from\`. Null or absent: for good.`,
    revoked_at: `${INSTANT}. Null or absent: not revoked.`,
    periods: 'The times that were paid; they do not overlap. Plates times periods are at most 5,000.',
  },
);

export const REJECTED_LINE = output('RejectedLine', rejectedLine, 'A line that was not taken.', {
  line: 'Its number, from 1; blank lines are numbered too.',
  code: 'Why. The same codes mean the same as for a whole request.',
  message: 'Which fields are wrong, for people.',
});

const RESPONSE = output('ImportResponse', inEnvelope(importResponse), 'What became of the lines.', {
  ...ENVELOPE_WORDS,
  received: 'Lines with something on them: the sum of the other four.',
  created: 'Stored for the first time.',
  updated: 'Changed what was stored.',
  unchanged: 'Said what was stored already, or something older.',
  rejected: 'Not taken. A bad line rejects itself alone.',
  errors: 'The first 100 rejected lines, in the order of the file.',
});

const IMPORTED: ImportResponse & typeof ENVELOPE = {
  ...ENVELOPE,
  received: 3,
  created: 1,
  updated: 1,
  unchanged: 1,
  rejected: 0,
  errors: [],
};

const RESPONSES: Examples = {
  all_taken: { summary: 'Every line was taken', value: IMPORTED },
  some_rejected: {
    summary: 'A bad line rejects itself alone',
    value: {
      ...IMPORTED,
      unchanged: 0,
      rejected: 1,
      errors: [
        {
          line: 2,
          code: 'AREA_NOT_FOUND',
          message: 'area_code: the municipality has no area with this code',
        },
      ],
    } satisfies ImportResponse,
  },
};

const lines = (...values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

const WORDS = `
Newline-delimited JSON in UTF-8, a JSON object a line; blank lines are passed over. Each line is stored by its key, so
that **the same file twice changes nothing**, and a call that failed is simply repeated.

An answer with counts is a 200, also when every line was rejected. After a 400, 408 or 413 nothing was stored; after a 500
a part may have been: the same file again completes it.

The body arrives within 60 s, and with at least 64 KiB in each 10 s from its first byte on (or its end); while it waits for
others, its time does not run. One body of a credential arrives at a time, and two of a tenant: send one file after the
other.
`.trim();

const answer = {
  words: 'The file was read.',
  component: RESPONSE,
  examples: RESPONSES,
} as const;
const parameters = { municipality_code: 'H501', source_code: 'app1' };

export const DESCRIPTION: FeatureDescription = {
  parts: [PLATE_LINE, PERIOD_LINE, REJECTED_LINE],
  operations: [
    describe(importSessions, {
      section: 'Imports',
      summary: 'Import parking sessions of a source',
      words: `${WORDS}\n\nIts success or failure moves the source’s freshness; a file without lines is a success.`,
      parameters: [{ in: 'query', component: SESSION_QUERY, examples: parameters }],
      body: {
        words: 'The sessions, one a line.',
        component: SESSION_LINE,
        examples: {
          sessions: {
            summary: 'A session with an end, and one that still runs',
            value: lines(
              {
                session_id: 'APP1-20260307-000418',
                plate: 'AB123CD',
                area_code: 'S1',
                starts_at: '2026-03-07T17:00:00+01:00',
                ends_at: '2026-03-07T19:00:00+01:00',
                revision: 2,
              },
              {
                session_id: 'APP1-20260307-000419',
                plate: 'EF456GH',
                area_code: 'P1',
                starts_at: '2026-03-07T17:10:00+01:00',
              },
            ),
          },
        },
      },
      answer,
    }),
    describe(importSubscriptions, {
      section: 'Imports',
      summary: 'Import a municipality’s subscriptions',
      words: `${WORDS} A credential that is bound to a source may not call it (\`SCOPE_NOT_ALLOWED\`).`,
      parameters: [{ in: 'query', component: SUBSCRIPTION_QUERY, examples: { municipality_code: 'H501' } }],
      body: {
        words: 'The subscriptions, one a line.',
        component: SUBSCRIPTION_LINE,
        examples: {
          subscription: {
            summary: 'A resident’s subscription, paid for March',
            value: lines({
              subscription_number: 'RES-2026-0042',
              type: 'RES',
              plates: [{ plate: 'AB123CD' }],
              approval: 'approved',
              authorized_from: '2026-01-01T00:00:00+01:00',
              authorized_until: '2027-01-01T00:00:00+01:00',
              areas: 'all',
              periods: [{ starts_at: '2026-03-01T00:00:00+01:00', ends_at: '2026-04-01T00:00:00+02:00' }],
            }),
          },
        },
      },
      answer,
    }),
  ],
};
