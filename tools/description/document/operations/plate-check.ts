import { ACCESS_REASON_TEXT } from '../../../../src/core/entitlement/texts.ts';
import { plateCheck, plateCheckAlias, plateCheckV1 } from '../../../../src/core/plate-check/contract.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';
import { CITY, FACILITY } from '../samples.ts';

/** A barrier asked for an entry: the session opens it. */
const RESPONSE = {
  ...{ area: FACILITY, has_valid_subscription: false, valid_subscriptions_count: 0, results_count: 2 },
  subscriptions: [{ status: 'expired', reason_code: 'PERIOD_EXPIRED', is_valid_at_check_time: false }],
  access_event: 'entry',
  access_granted: true,
  access_reason_code: 'VALID_PREPAID_FACILITY_SESSION',
  access_reason: ACCESS_REASON_TEXT.VALID_PREPAID_FACILITY_SESSION.en,
  access_control: {
    event: 'entry',
    reason_code: 'VALID_PREPAID_FACILITY_SESSION',
    matched_source: 'parking_session',
  },
};

const ASKED = { plate: 'DE 201 MO', municipality_code: CITY.code, area_code: FACILITY.code };

const WORDS = `
Checks in one call whether a plate has a valid hourly session, a valid subscription, or at least one of the two;
in a facility also whether its gate opens.

- **A valid negative** is a 200 with \`has_valid_entitlement\` false and \`verification_complete\` true: the plate was
  verified, and has nothing valid at that instant. \`sessions\` and \`subscriptions\` show why.
- **An open answer** is a 200 with \`verification_complete\` false: a subscription is limited to areas, and none was
  given. It is neither confirmed nor denied. If \`has_valid_entitlement\` is true, act on it all the same; if it is false, ask
  again with \`area_code\`.
- **An error** is any other status: nothing was verified. It is never a negative answer, and never a reason to refuse a vehicle.

**What a barrier does.** On a 200: open if \`access_granted\` is true, stay closed if it is false, whatever
\`has_valid_entitlement\` says. On any error: no decision was made, so follow the rule that the car park has for
this case (usually: ask again at once on a 500 or a time-out, after \`Retry-After\` on a 429; then call the attendant)
and do not tell the driver that the vehicle may not park.

**The gate** considers only the requested facility. A session opens it from the entry tolerance before its start
(\`entry\`), until the exit tolerance after its end (\`exit\`); \`verify\` considers both. A subscription opens it only where
the facility accepts subscriptions, and there is no tolerance for it.

Every negative answer comes from the database itself, so it never misses a session that was bought a moment ago.

Every reason and status, which comes first, and where the boundaries are: [the rules](/docs/interface/plate-check).
`.trim();

const check = {
  words: WORDS,
  request: { ...ASKED, event: 'entry' },
  answer: RESPONSE,
} as const;

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Plate check', plateCheck, {
    ...check,
    summary: 'Check a plate, or ask for a gate decision',
  }),
  describe('Plate check', plateCheckAlias, {
    ...check,
    summary: 'Check a plate (alias, for earlier integrations)',
    words: 'The same operation under its earlier path, with identical behaviour.',
  }),
  describe('Plate check', plateCheckV1, {
    ...check,
    summary: 'Check a plate’s parking sessions (V1)',
    words:
      'The earlier version: parking sessions only, no subscriptions and no gates. A vehicle with only a subscription gets a negative answer. New clients should use 2.0.',
    request: ASKED,
    answer: { area: FACILITY },
  }),
];
