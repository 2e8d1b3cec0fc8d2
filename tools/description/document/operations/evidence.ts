import { searchEvidence } from '../../../../src/office/evidence/contract.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';
import { CITY, OBJECTING, SMALL_FACILITY } from '../samples.ts';

const NOTHING = {
  ...{ has_valid_entitlement: false, has_valid_parking: false, has_valid_subscription: false },
  ...{ sessions_count: 0, valid_sessions_count: 0, subscriptions_count: 0, valid_subscriptions_count: 0 },
  ...{ results_count: 0, entitlements_count: 0, sessions: [], subscriptions: [] },
};
const AT = '2026-03-07T08:39:00+01:00';
const SESSION = {
  session_id: `${OBJECTING}-1`,
  plate: OBJECTING,
  starts_at: '2026-03-07T08:34:00+01:00',
  ends_at: '2026-03-07T10:00:00+01:00',
};

/** The session had been paid for, and arrived a minute after the check. */
const RESPONSE = {
  plate: OBJECTING,
  area: SMALL_FACILITY,
  at: AT,
  known_at: AT,
  known_since: '2026-01-01T00:00:00+01:00',
  checks_since: '2026-01-01T00:00:00+01:00',
  generated_at: '2026-03-20T11:02:31.120+01:00',
  as_known_then: NOTHING,
  as_known_now: {
    ...{ has_valid_subscription: false, subscriptions_count: 0, valid_subscriptions_count: 0 },
    ...{ sessions: [{ ...SESSION, area: SMALL_FACILITY }], subscriptions: [] },
  },
  history: [
    {
      recorded_at: '2026-03-07T08:40:02.310+01:00',
      request_id: 'd41f5a0c-1be7-4f0e-9b55-62a0f7e3c8aa',
      known_then: false,
      key: SESSION.session_id,
      late_by_seconds: 362,
      record: { ...SESSION, area_code: SMALL_FACILITY.code },
    },
  ],
  sources: [{ status: 'stale', last_successful_at: '2026-03-07T08:20:11+01:00' }],
  checks: [{ request_id: 'c2a1c8f4-5a0e-4f8e-9a53-2f6c7d1e0b94', at: AT, outcome: 'OK' }],
};

const WORDS = `
For the clerk who judges an objection: what did the service know when the officer asked, and what does it know today?

\`as_known_then\` is, field for field, what a plate check made at the instant \`known_at\` with \`checked_at\` = \`at\` has
answered; \`as_known_now\` is what one made now answers. Where they differ, \`history\` says what came in between, and how
late. An import or a configuration that was being stored at that very instant may fall on either side.

Inactive areas are accepted, and no service has to be switched on: objections concern such areas too. Where a plate check would have
been refused, the verdict is \`{ "refused": "<code>" }\`.

\`checks\` are the plate checks of this plate around the instant. The service does not keep their plates, only keyed digests, which can
confirm a plate that you name, but list none. An empty list from before \`checks_since\` means nothing.
`.trim();

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Evidence', searchEvidence, {
    summary: 'Find what was known when',
    words: WORDS,
    request: {
      ...{ plate: 'DE 501 MO', at: AT },
      ...{ municipality_code: CITY.code, area_code: SMALL_FACILITY.code },
    },
    answer: RESPONSE,
  }),
];
