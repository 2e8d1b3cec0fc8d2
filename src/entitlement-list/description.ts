import { describe, type FeatureDescription } from '../openapi/parts.ts';
import { input, output } from '../openapi/words.ts';
import { entitlementList } from './operation.ts';
import { listPath, listQuery } from './request.ts';
import {
  endLine,
  headerLine,
  type ListLine,
  listedFacility,
  plateHash,
  removedLine,
  sessionLine,
  subscriptionLine,
  validInterval,
} from './response.ts';

const PATH = input('EntitlementListPath', listPath, 'The facility.', {
  area_code: 'The code of an active facility of the municipality.',
});

const QUERY = input('EntitlementListQuery', listQuery, 'What to go on with.', {
  municipality_code: 'The municipality; needed where the credential has several active ones.',
  cursor: 'The `cursor` of the answer before. Absent: the full list from its beginning.',
  limit: 'The most entries and removals of the answer, 1 to 10,000. Absent: 5,000.',
});

const PLATE_HASH = output('EntitlementListPlateHash', plateHash, 'How the plates of the list are hashed.', {
  algorithm: 'HMAC-SHA-256 of the normalized plate in UTF-8.',
  bits: 'How many of its bits an entry has, from the first on, as base64url without padding.',
  key_id:
    'The first 8 hexadecimal digits of SHA-256 of the key. Another one than that of the own token: the list is not for it.',
});

const FACILITY = output('EntitlementListFacility', listedFacility, 'The facility’s settings as they stand.', {
  service_enabled: 'Whether its service is on.',
  plate_control_enabled: 'Whether plates are controlled there.',
  subscription_access: 'Whether subscriptions open its gate.',
  entry_grace_minutes: 'Minutes before a session’s start in which an entry is let in.',
  exit_grace_minutes: 'Minutes after a session’s end in which an exit is let out.',
});

const HEADER = output('EntitlementListHeader', headerLine, 'The first line.', {
  type: 'Always `list`.',
  version: 'The version of the format.',
  mode: '`full`: what there is. `delta`: what has changed since the list that the cursor stands for.',
  municipality_code: 'The municipality.',
  area_code: 'The facility.',
  as_of: 'The instant of the list: the same in all of its answers.',
  valid_until: 'From then on the list counts for nothing.',
  refresh_after_seconds: 'After how long to ask for what has changed.',
  full_after_seconds: 'After how long to take the full list again.',
  plate_hash: 'How its plates are hashed.',
  facility: 'The facility’s settings.',
});

const ENTRY_WORDS = {
  type: 'Always `entry`.',
  id: 'Of one right of one plate. An entry replaces the one that the holder has under its id.',
  plate: 'The hash of the plate.',
  kind: 'What the right is.',
} as const;

const INTERVAL = output('EntitlementListInterval', validInterval, 'A stretch of time.', {
  from: 'Its first instant.',
  until: 'Its end, which it does not contain. Null: none.',
});

const SESSION = output('EntitlementListSession', sessionLine, 'A parking session in the facility.', {
  ...ENTRY_WORDS,
  from: 'Its start.',
  until: 'Its end; of a session that still runs, the latest that its source allows.',
  cancelled_at: 'Only where a cancellation lies ahead: from then on it counts no more, in no tolerance.',
});

const SUBSCRIPTION = output(
  'EntitlementListSubscription',
  subscriptionLine,
  'A plate on a subscription that is valid in the facility at some instant from `as_of` on.',
  { ...ENTRY_WORDS, valid: 'Those instants, in the order of time. Intervals that touch are one.' },
);

const REMOVED = output('EntitlementListRemoval', removedLine, 'An entry that is no more.', {
  type: 'Always `removed`.',
  id: 'Its id. One that the holder does not know means nothing.',
});

const END = output('EntitlementListEnd', endLine, 'The last line: an answer without it is not whole.', {
  type: 'Always `end`.',
  cursor: 'Goes on from here. It may be used again.',
  more: 'Whether this list goes on with the cursor. False: the cursor answers what changes from now on.',
  lines: 'How many entries and removals the answer has.',
});

const AS_OF = '2026-03-07T17:44:12+01:00';

const LINES: readonly ListLine[] = [
  {
    type: 'list',
    version: 1,
    mode: 'full',
    municipality_code: 'H501',
    area_code: 'P1',
    as_of: AS_OF,
    valid_until: '2026-03-08T05:44:12+01:00',
    refresh_after_seconds: 60,
    full_after_seconds: 86_400,
    plate_hash: { algorithm: 'HMAC-SHA-256', bits: 96, key_id: 'dc6c7e1c' },
    facility: {
      service_enabled: true,
      plate_control_enabled: true,
      subscription_access: true,
      entry_grace_minutes: 10,
      exit_grace_minutes: 15,
    },
  },
  {
    type: 'entry',
    id: 'h3Zq0nP1vY8wTzK4',
    plate: '992UJiY6g8LKHa3H',
    kind: 'session',
    from: '2026-03-07T17:00:00+01:00',
    until: '2026-03-07T19:00:00+01:00',
  },
  {
    type: 'entry',
    id: 'Qm7sB2dLx0aEuJ9f',
    plate: '992UJiY6g8LKHa3H',
    kind: 'subscription',
    valid: [{ from: AS_OF, until: null }],
  },
  { type: 'end', cursor: 'mPz0b3nYp2Q5cEw', more: false, lines: 2 },
];

const WORDS = `
What a barrier must know to let the right cars in while it cannot ask. Newline-delimited JSON: a header, entries and
removals, an end.

Without \`cursor\` it is the full list, page after page: each answer's \`cursor\` continues it while \`more\` is true (a page may
have no lines). After the last page the cursor stands for the whole list, and the next call answers what has changed since:
entries that are new or different, and removals. What ends by time alone is not told. A \`CURSOR_GONE\` means: take the full
list.

A plate stands as \`base64url\` of the first 12 bytes of HMAC-SHA-256 of the normalized plate. Its key is HKDF-SHA-256 of the 32
bytes of SHA-256 of the access token as sent, with an empty salt and the info \`entitlement-list/1\`, 32 bytes. With the token
\`parkat_example\`, \`key_id\` is \`dc6c7e1c\` and \`AB123CD\` becomes \`992UJiY6g8LKHa3H\`.

**A list can open a gate, and never keep it shut**: a purchase may not have arrived yet, so that whatever the list does not
grant is unknown. After \`valid_until\` everything is.
`.trim();

export const DESCRIPTION: FeatureDescription = {
  parts: [PLATE_HASH, FACILITY, INTERVAL],
  operations: [
    describe(entitlementList, {
      section: 'Gates',
      summary: 'List who may enter and leave a facility',
      words: WORDS,
      parameters: [
        { in: 'path', component: PATH, examples: { area_code: 'P1' } },
        { in: 'query', component: QUERY, examples: { municipality_code: 'H501', limit: '5000' } },
      ],
      answer: {
        words: 'The list, or a page of it.',
        component: [HEADER, SESSION, SUBSCRIPTION, REMOVED, END],
        examples: {
          full: {
            summary: 'A session and a subscription of one plate',
            value: LINES.map((line) => `${JSON.stringify(line)}\n`).join(''),
          },
        },
      },
    }),
  ],
};
