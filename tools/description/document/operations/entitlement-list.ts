import { entitlementList } from '../../../../src/field/entitlement-list/contract.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';
import { CITY, FACILITY } from '../samples.ts';

const AS_OF = '2026-03-07T17:44:12+01:00';

const LINES = [
  {
    type: 'list',
    version: 1,
    mode: 'full',
    municipality_code: CITY.code,
    area_code: FACILITY.code,
    as_of: AS_OF,
    valid_until: '2026-03-08T05:44:12+01:00',
    refresh_after_seconds: 60,
    full_after_seconds: 86_400,
    plate_hash: { algorithm: 'HMAC-SHA-256', bits: 96, key_id: 'dc6c7e1c' },
    facility: {
      service_enabled: true,
      plate_control_enabled: true,
      subscription_access: true,
      entry_grace_minutes: 15,
      exit_grace_minutes: 20,
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
The data with which a barrier lets the right cars in while it is offline. Newline-delimited JSON: a header, entries and
removals, an end.

Without \`cursor\`, it is the full list, page after page: each answer's \`cursor\` continues it while \`more\` is true (a page may
be empty). With the last page's cursor, the next call returns the changes since that list: new and changed entries, and removals.
An entitlement that ends by time alone is not listed as removed. After a \`CURSOR_GONE\`, fetch the full list.

A plate is sent as \`base64url\` of the first 12 bytes of HMAC-SHA-256 of the normalized plate. Its key is HKDF-SHA-256 of the 32
bytes of SHA-256 of the access token as sent, with an empty salt and the info \`entitlement-list/1\`, 32 bytes. With the token
\`parkat_example\`, \`key_id\` is \`dc6c7e1c\` and \`AB123CD\` becomes \`992UJiY6g8LKHa3H\`.

**A list can open a gate, but never keep it shut**: a purchase may not have arrived yet, so a plate that is not on the list
is unknown. After \`valid_until\`, every plate is unknown.

Which entitlements are in it, and what a gate may conclude: [the rules](/docs/interface/entitlement-list).
`.trim();

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Gates', entitlementList, {
    summary: 'List who may enter and leave a facility',
    words: WORDS,
    parameters: { area_code: FACILITY.code, municipality_code: CITY.code, limit: '5000' },
    answer: LINES,
  }),
];
