import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, type Instant, parseInstant } from '../../src/domain/instant.ts';
import { planExpiry } from '../../src/domain/plan-expiry.ts';
import {
  CANDIDATE_OUTCOMES,
  type CandidateOutcome,
  candidateOutcome,
  decidePurchase,
  type HeldSubscription,
  type MeterPlan,
  PURCHASE_OPERATIONS,
  plansOnOffer,
  RESULT_CODES,
  type SubscriptionType,
} from '../../src/domain/purchase-options.ts';
import type { Subscription } from '../../src/domain/subscription.ts';
import { REFUSED_CALLS_A_DAY, REQUEST_BYTES_A_DAY } from '../../src/storage/call-log/call-record.ts';
import { aSubscription, NOON, noon } from '../domain/fixtures.ts';
import {
  expectPrecedence,
  isNumbered,
  listed,
  named,
  numberOrNull,
  orNone,
  Page,
  pairs,
  unique,
} from './page-tables.ts';

const PAGE = new Page('interface/subscription-options');

const MONTHLY: MeterPlan = {
  code: '101',
  amountCents: 2_500,
  duration: 'P1M',
  description: 'RESIDENTI MENSILE',
  operations: PURCHASE_OPERATIONS,
};

type Cause = Partial<Subscription & SubscriptionType & Pick<HeldSubscription, 'plans'>>;

/** A title that is valid at noon and can be renewed, but for its cause. */
function held({
  freelySold,
  renewalAllowed,
  renewalOpensDaysBefore,
  plans,
  ...title
}: Cause): HeldSubscription {
  return {
    subscription: aSubscription(title),
    type: {
      freelySold: freelySold ?? false,
      renewalAllowed: renewalAllowed ?? true,
      renewalOpensDaysBefore: renewalOpensDaysBefore ?? null,
    },
    plans: plans ?? [MONTHLY],
  };
}

const RUNNING = { startsAt: noon(-HOUR_MS), endsAt: noon(1) };
const NEXT = { startsAt: noon(1), endsAt: noon(HOUR_MS) };
const CAUSES: Readonly<Record<string, Cause>> = {
  'the plate is not on it at t': { plateValidity: [{ from: null, until: NOON }] },
  'the office has not approved it': { approval: 'pending' },
  'revoked by t': { revokedAt: NOON },
  'suspended at t': { suspended: { from: NOON, until: null } },
  'its authorization starts later': { authorized: { from: noon(1), until: null } },
  'its authorization has ended': { authorized: { from: null, until: NOON } },
  'a paid period starts later': { periods: [RUNNING, NEXT] },
  'it had a period, and its type allows no renewal': { renewalAllowed: false },
  'its renewal is not open yet': { renewalOpensDaysBefore: 0 },
  'meters sell no plan of its type for the operation': { plans: [] },
  otherwise: {},
};
const outcomeOf = (cause: Cause) => candidateOutcome(held(cause), NOON);

const candidates = PAGE.rows('#', 'when', 'outcome');
const isOutcome = (text: string): text is CandidateOutcome =>
  CANDIDATE_OUTCOMES.some((outcome) => outcome === text);

describe('docs/interface/subscription-options.md says truly', () => {
  it('every outcome of a candidate, in the order of precedence', () => {
    expect(candidates.map(({ when }) => when)).toEqual(Object.keys(CAUSES));
    expect(isNumbered(candidates)).toBe(true);
    expect([...new Set(candidates.map(({ outcome }) => outcome))]).toEqual(CANDIDATE_OUTCOMES);
    const said = candidates.map(({ outcome }) => outcome);
    expectPrecedence(CAUSES, said, outcomeOf);
  });

  it.each(
    named(
      PAGE.rows('renewal_opens_days_before', 'the running period ends in', 'outcome'),
      'renewal_opens_days_before',
      'the running period ends in',
    ),
  )('when a renewal opens, and the period ends: %s', (_, row) => {
    const endsAt = noon(Number.parseInt(row['the running period ends in'], 10) * DAY_MS);
    const cause = { periods: [{ startsAt: noon(-HOUR_MS), endsAt }] };
    const renewalOpensDaysBefore = numberOrNull(row.renewal_opens_days_before);
    expect(outcomeOf({ ...cause, renewalOpensDaysBefore })).toBe(row.outcome);
  });

  it.each(
    named(
      PAGE.rows(
        'sold_within_authorization',
        't',
        'the running period ends',
        'the authorization ends',
        'revoked from',
        'duration',
        'offered',
      ),
      'sold_within_authorization',
      'the running period ends',
      'the authorization ends',
      'revoked from',
      'duration',
    ),
  )('whether a plan is offered: %s', (_, row) => {
    const at = read(row.t);
    const endsAt = orNone(read, row['the running period ends']);
    const title = {
      periods: endsAt === null ? [] : [{ startsAt: at, endsAt }],
      authorized: { from: null, until: orNone(read, row['the authorization ends']) },
      revokedAt: orNone(read, row['revoked from']),
      plans: [{ ...MONTHLY, duration: row.duration }],
    };
    const soldWithinAuthorization = row.sold_within_authorization === 'true';
    const offered = plansOnOffer({ ...held(title), soldWithinAuthorization }, at, 'Europe/Rome');
    expect(offered.length === 1 ? 'yes' : 'no').toBe(row.offered);
  });

  describe('of an answer', () => {
    const rows = PAGE.rows('outcomes of the candidates', 'result_code', 'eligible');
    const OTHERS: Readonly<Record<string, readonly HeldSubscription[]>> = {
      'the plate has no subscription': [],
      'the plate has only freely sold ones': [held({ freelySold: true })],
    };
    const withOutcome = (outcome: CandidateOutcome) =>
      held(CAUSES[candidates.find((row) => row.outcome === outcome)?.when ?? ''] ?? {});

    it.each(named(rows, 'outcomes of the candidates'))('the result of: %s', (text, row) => {
      const all = OTHERS[text] ?? listed(text).filter(isOutcome).map(withOutcome);
      expect(OTHERS[text] !== undefined || all.length === listed(text).length).toBe(true);
      const { resultCode, sale } = decidePurchase(all, NOON);
      expect([row.result_code, row.eligible]).toEqual([resultCode, String(sale !== null)]);
    });

    it('that the nearest to a sale gives the reason', () => {
      const negatives = CANDIDATE_OUTCOMES.filter((outcome) => outcome !== 'OPTIONS_AVAILABLE');
      for (const [first, second] of pairs(negatives.length)) {
        const two = [negatives[first], negatives[second]].filter((outcome) => outcome !== undefined);
        expect(decidePurchase(two.map(withOutcome), NOON).resultCode).toBe(negatives[second]);
      }
    });

    it('every result code, and what helps', () => {
      const helped = PAGE.rows('result_code', 'what helps').map((row) => row.result_code);
      expect(unique(helped)).toEqual(unique(RESULT_CODES));
      const found = [...rows.map((row) => row.result_code), ...candidates.map(({ outcome }) => outcome)];
      expect(unique(found)).toEqual(unique(RESULT_CODES));
    });
  });

  it.each(named(PAGE.rows('the one candidate with options', 'operation'), 'the one candidate with options'))(
    'the operation of a subscription: %s',
    (_, row) => {
      const periods: Readonly<Record<string, Cause | null>> = {
        'never had a period': { periods: [] },
        'has a period that runs': { periods: [RUNNING] },
        'had a period that has ended': { periods: [{ startsAt: noon(-HOUR_MS), endsAt: NOON }] },
        'there is none': { approval: 'rejected' },
      };
      const cause = periods[row['the one candidate with options']];
      expect(cause).toBeDefined();
      expect(decidePurchase([held(cause ?? {})], NOON).sale?.operation ?? 'none').toBe(row.operation);
    },
  );

  it('every operation', () => {
    const operations = PAGE.rows('the one candidate with options', 'operation').map((row) => row.operation);
    expect(unique(operations)).toEqual(unique([...PURCHASE_OPERATIONS, 'none']));
  });

  it.each(
    named(
      PAGE.rows('generated_at', 'the running period ends', 'duration', 'time zone', 'scadenza'),
      'generated_at',
      'the running period ends',
      'duration',
    ),
  )('the scadenza of: %s', (_, row) => {
    const expiry = planExpiry({
      at: read(row.generated_at),
      currentExpiry: orNone(read, row['the running period ends']),
      duration: row.duration,
      timeZone: row['time zone'],
    });
    expect(expiry ?? 'the plan is left out').toBe(row.scadenza);
  });

  it('how much the call log keeps in a day', () => {
    const kept = PAGE.rows('call', 'what is kept')
      .map(({ call }) => call)
      .join('\n');
    expect(kept).toContain(`within ${REQUEST_BYTES_A_DAY / 1024 ** 2} MiB`);
    expect(kept).toContain(`the first ${REFUSED_CALLS_A_DAY.toLocaleString('en')} of the credential`);
  });
});

function read(text: string): Instant {
  const at = parseInstant(text);
  if (at === null) {
    throw new Error(`not an instant: ${text}`);
  }
  return at;
}
