import { describe, expect, it } from 'vitest';
import { HOUR_MS, instant } from '../../src/domain/instant.ts';
import { contains } from '../../src/domain/interval.ts';
import { diagnoseSubscription, isListed, type Subscription } from '../../src/domain/subscription.ts';
import { validIntervals } from '../../src/domain/valid-intervals.ts';
import { aSubscription, noon } from './fixtures.ts';

/** Hours around noon, for readable tables. */
const hour = (hours: number) => noon(hours * HOUR_MS);
const period = (from: number, until: number) => ({ startsAt: hour(from), endsAt: hour(until) });
const span = (from: number | null, until: number | null) => ({
  from: from === null ? null : hour(from),
  until: until === null ? null : hour(until),
});
const suspension = (from: number, until: number | null) => ({
  from: hour(from),
  until: until === null ? null : hour(until),
});

/** From eight hours before noon on, with a period from six before to six after. */
const intervalsOf = (deviation: Partial<Subscription>) =>
  validIntervals(aSubscription({ periods: [period(-6, 6)], ...deviation }), 'P1', hour(-8)).map(
    ({ from, until }) => [from, until].map((at) => (at - noon()) / HOUR_MS),
  );

const CASES: readonly (readonly [
  when: string,
  deviation: Partial<Subscription>,
  intervals: (number | null)[][],
])[] = [
  ['in its period', {}, [[-6, 6]]],
  ['not while it is pending', { approval: 'pending' }, []],
  ['in its areas', { areas: ['P2', 'P1'] }, [[-6, 6]]],
  ['not in another area', { areas: ['P2'] }, []],
  ['not without a period', { periods: [] }, []],
  ['from the instant that is asked on', { periods: [period(-9, -7)] }, [[-8, -7]]],
  ['until it is revoked', { revokedAt: hour(1) }, [[-6, 1]]],
  ['for its whole period where it is revoked at its end', { revokedAt: hour(6) }, [[-6, 6]]],
  ['for its whole period where it is revoked later', { revokedAt: hour(7) }, [[-6, 6]]],
  ['not at all where it was revoked before', { revokedAt: hour(-6) }, []],
  ['while it is authorized', { authorized: span(-2, 3) }, [[-2, 3]]],
  ['from when it is authorized on', { authorized: span(-2, null) }, [[-2, 6]]],
  ['until its authorization ends', { authorized: span(null, 3) }, [[-6, 3]]],
  [
    'until it is revoked, before its authorization ends',
    { authorized: span(null, 3), revokedAt: hour(2) },
    [[-6, 2]],
  ],
  [
    'until its authorization ends, before it is revoked',
    { authorized: span(null, 2), revokedAt: hour(3) },
    [[-6, 2]],
  ],
  [
    'around a suspension',
    { suspended: suspension(-1, 2) },
    [
      [-6, -1],
      [2, 6],
    ],
  ],
  ['until a suspension without an end', { suspended: suspension(-1, null) }, [[-6, -1]]],
  ['from the end of a suspension that was there before', { suspended: suspension(-7, -2) }, [[-2, 6]]],
  ['until a suspension that goes on', { suspended: suspension(4, 7) }, [[-6, 4]]],
  [
    'while its plate is on it',
    { plateValidity: [span(-5, -3), span(1, 2)] },
    [
      [-5, -3],
      [1, 2],
    ],
  ],
  ['not while its plate is not on it', { plateValidity: [] }, []],
  [
    'in each of its periods, in the order of time',
    { periods: [period(3, 4), period(-2, -1)] },
    [
      [-2, -1],
      [3, 4],
    ],
  ],
  ['without a gap where periods touch', { periods: [period(0, 1), period(-1, 0)] }, [[-1, 1]]],
  ['without a gap where spans of its plate overlap', { plateValidity: [span(-3, 1), span(0, 2)] }, [[-3, 2]]],
  ['for as long as the longer span', { plateValidity: [span(-3, 5), span(0, 2)] }, [[-3, 5]]],
];

describe('A subscription entitles its plate', () => {
  it.each(CASES)('%s', (_, deviation, intervals) => {
    expect(intervalsOf(deviation)).toEqual(intervals);
  });

  it('when its diagnosis says so, at every hour and a millisecond to either side, for any two of these at once', () => {
    const hours = Array.from({ length: 20 }, (_, index) => index - 9);
    const instants = hours.flatMap((at) => [-1, 0, 1].map((ms) => instant(hour(at) + ms)));
    for (const [one, a] of CASES) {
      for (const [other, b] of CASES) {
        const subscription = aSubscription({ periods: [period(-6, 6)], ...a, ...b });
        const from = hour(-8);
        const intervals = validIntervals(subscription, 'P1', from);
        for (const at of instants) {
          const { reasonCode } = diagnoseSubscription(subscription, at, 'P1');
          const isValid = at >= from && isListed(subscription, at) && reasonCode === 'VALID_SUBSCRIPTION';
          const found = intervals.filter((interval) => contains(interval, at)).length;
          expect(found, `${one}, ${other}, at ${at}`).toBe(isValid ? 1 : 0);
        }
      }
    }
  });
});
