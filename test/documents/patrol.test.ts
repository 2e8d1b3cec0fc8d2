import { describe, expect, it } from 'vitest';
import { type Instant, MINUTE_MS, parseInstant } from '../../src/domain/instant.ts';
import {
  type AwaitedSource,
  conclude,
  DOUBT_CODES,
  FINDINGS,
  type Sighting,
} from '../../src/domain/patrol/finding.ts';
import { isOtherReading } from '../../src/domain/patrol/other-reading.ts';
import { PAID_DAYS, type PaidSpan, paymentDue } from '../../src/domain/patrol/paid-hours.ts';
import { platesOneSlipAway } from '../../src/domain/patrol/similar-plates.ts';
import { standingOf } from '../../src/domain/patrol/standing.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { patrolResponse } from '../../src/patrol/contract.ts';
import { aSession, NOON, noon } from '../domain/fixtures.ts';
import {
  expectPrecedence,
  isNumbered,
  listed,
  named,
  number,
  orNone,
  Page,
  span,
  unique,
} from './page-tables.ts';

const PAGE = new Page('interface/patrol');
const WATCH = { observationMinutes: 5, overstayMinutes: 10 };
const inMinutes = (cell: string) => noon(number(cell.replace(' min', '')) * MINUTE_MS);

/** It reports as things happen. */
const PROMPT: AwaitedSource = {
  code: 'app',
  isSystem: true,
  staleAfterMinutes: 0,
  lastOutcome: 'succeeded',
  lastSuccessfulAt: NOON,
  delays: [],
};

/** Nothing speaks for it, and nothing is in doubt. */
const NOTHING: Sighting = {
  seenAt: NOON,
  standing: null,
  paymentDue: true,
  sources: [PROMPT],
  lineRejected: false,
  paymentUnsettled: false,
  subscriptionMayBeRenewed: false,
  similarPlateEntitled: false,
  validIn: [],
};

describe('docs/interface/patrol.md says truly', () => {
  const rows = PAGE.rows('#', 'when', 'finding', 'the officer');
  const doubts = PAGE.rows('doubts[].code', 'when', 'settled by');

  it('every finding, in the order of precedence', () => {
    const STALE: AwaitedSource = { ...PROMPT, isSystem: false, lastOutcome: 'failed' };
    const CAUSES: Readonly<Record<string, Partial<Sighting>>> = {
      'a session or subscription is valid there, or the facility would open': { standing: 'entitled' },
      'one was valid shortly before, or is shortly after': { standing: 'tolerated' },
      'no payment is due there at seen_at': { paymentDue: false },
      'a doubt that time settles': { sources: [STALE] },
      'a doubt that only eyes settle': { similarPlateEntitled: true },
      otherwise: {},
    };
    const findingOf = (cause: Partial<Sighting>) =>
      conclude({ ...NOTHING, ...cause }, { ...WATCH, observationMinutes: 0 }, NOON).finding;
    expect(rows.map(({ when }) => when)).toEqual(Object.keys(CAUSES));
    expect(isNumbered(rows)).toBe(true);
    expect(rows.map(({ finding }) => finding)).toEqual(FINDINGS);
    expectPrecedence(CAUSES, FINDINGS, findingOf);
  });

  it.each(
    named(
      PAGE.rows('the session, in minutes from seen_at', 'standing'),
      'the session, in minutes from seen_at',
    ),
  )('the standing of a session from %s minutes', (_, row) => {
    const { from, until } = span(row['the session, in minutes from seen_at'], inMinutes);
    const rights = { sessions: [aSession({ startsAt: from, endsAt: until })], subscriptions: [] };
    expect(standingOf(rights, { code: 'S1', facility: null }, NOON, WATCH) ?? 'none').toBe(row.standing);
  });

  describe('of doubts', () => {
    it('every code, in the order of an answer', () => {
      expect(doubts.map((row) => row['doubts[].code'])).toEqual(DOUBT_CODES);
      const late: AwaitedSource = { ...PROMPT, isSystem: false, lastOutcome: 'failed' };
      const all = conclude(
        {
          ...NOTHING,
          sources: [late],
          lineRejected: true,
          paymentUnsettled: true,
          subscriptionMayBeRenewed: true,
          similarPlateEntitled: true,
          validIn: ['S2'],
        },
        WATCH,
        NOON,
      );
      expect(all.doubts.map(({ code }) => code)).toEqual(doubts.map((row) => row['doubts[].code']));
    });

    it('what settles each: time, or eyes', () => {
      const CAUSES: Readonly<Record<string, Partial<Sighting>>> = {
        MAY_BE_PAYING: { sources: [] },
        SOURCE_LATE: { sources: [{ ...PROMPT, isSystem: false, lastSuccessfulAt: null }] },
        LINE_REJECTED: { lineRejected: true },
        PAYMENT_UNSETTLED: { paymentUnsettled: true },
        SUBSCRIPTION_MAY_BE_RENEWED: { subscriptionMayBeRenewed: true },
        SIMILAR_PLATE_ENTITLED: { similarPlateEntitled: true },
        VALID_IN_OTHER_AREA: { validIn: ['S2'] },
      };
      for (const row of doubts) {
        const code = row['doubts[].code'];
        const tolerance = { ...WATCH, observationMinutes: code === 'MAY_BE_PAYING' ? 5 : 0 };
        const found = conclude({ ...NOTHING, ...CAUSES[code] }, tolerance, NOON);
        expect(found.doubts.map((doubt) => doubt.code)).toEqual([code]);
        expect(found.finding).toBe(/^time/.test(row['settled by']) ? 'look_again' : 'officer_decides');
      }
    });

    it.each(
      named(
        PAGE.rows('asked after', 'complete_until', 'finding', 'doubts', 'look_again_at'),
        'asked after',
        'complete_until',
      ),
    )('the finding after, with a source complete until: %s', (_, row) => {
      const now = inMinutes(row['asked after']);
      // As fresh as can be, with nothing counted yet: its usual delay is what may make it stale.
      const lag = (now - inMinutes(row.complete_until)) / MINUTE_MS;
      const source = { ...PROMPT, staleAfterMinutes: lag };
      const found = conclude({ ...NOTHING, sources: [source] }, WATCH, now);
      expect(row.finding).toBe(found.finding);
      expect(listed(row.doubts)).toEqual(found.doubts.map(({ code }) => code));
      expect(orNone(inMinutes, row.look_again_at)).toBe(found.lookAgainAt);
    });
  });

  it.each(PAGE.rows('plate', 'other', 'one slip', 'allowed as alternative'))(
    'whether $other may be $plate',
    (row) => {
      const [plate, other] = [storedPlate(row.plate), storedPlate(row.other)];
      const answer = (holds: boolean) => (holds ? 'yes' : 'no');
      expect(row['one slip']).toBe(answer(platesOneSlipAway(plate).includes(other)));
      expect(row['allowed as alternative']).toBe(answer(isOtherReading(plate, other)));
    },
  );

  it.each(PAGE.rows('paid_hours', 'seen_at', 'time zone', 'payment_due'))(
    'whether payment is due at $seen_at with $paid_hours',
    (row) => {
      const due = paymentDue(
        {
          paidHours: paidHoursOf(row.paid_hours),
          holidays: ['2026-12-25'],
          timeZone: row['time zone'],
        },
        read(row.seen_at),
      );
      expect(row.payment_due).toBe(String(due));
    },
  );

  it('every code that refuses a sighting alone', () => {
    const [, refused] = patrolResponse.shape.results.element.options;
    const codes = refused.shape.refused.shape.code;
    const said = PAGE.rows('refused.code', 'when').map((row) => row['refused.code']);
    expect(unique(said)).toEqual(unique(codes.options));
  });
});

/** `null`, `[]`, or days and hours: `mon–sat 08:00–20:00`. */
function paidHoursOf(cell: string): readonly PaidSpan[] | null {
  if (cell === 'null' || cell === '[]') {
    return cell === 'null' ? null : [];
  }
  const [days = '', hours = ''] = cell.split(' ');
  const [first = '', last = first] = days.split('–');
  const [from = '', to = ''] = hours.split('–');
  const place = (day: string) => PAID_DAYS.findIndex((each) => each.startsWith(day));
  return [{ days: PAID_DAYS.slice(place(first), place(last) + 1), from, to }];
}

function read(text: string): Instant {
  const at = parseInstant(text);
  if (at === null) {
    throw new Error(`not an instant: ${text}`);
  }
  return at;
}
