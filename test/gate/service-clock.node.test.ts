import { describe, expect, it } from 'vitest';
import { learn, type ServiceClock, serviceTime } from '../../clients/client/gate/gate-clock.ts';

const T = 1_800_000_000_000;

/** An answer that took 100 ms, written in the middle of them, by a service so far ahead of the steady clock. */
function answered(sentAt: number, aheadMs: number): ServiceClock {
  return learn(null, dated(sentAt, aheadMs));
}
function dated(sentAt: number, aheadMs: number) {
  const written = sentAt + 50 + aheadMs;
  return { sentAt, receivedAt: sentAt + 100, serviceDate: Math.floor(written / 1_000) * 1_000 };
}

describe('The service’s time', () => {
  it('is the machine’s own before any answer', () => {
    expect(serviceTime(null, { wall: T, steady: 5 })).toBe(T);
  });

  it('is the machine’s own with the difference that an earlier run has kept', () => {
    expect(serviceTime(null, { wall: T, steady: 5 }, -3_600_000)).toBe(T - 3_600_000);
  });

  it('is the machine’s own while that agrees with the answers, to the millisecond', () => {
    const clock = answered(1_000, T - 1_000);
    expect(serviceTime(clock, { wall: T + 4_321, steady: 5_321 })).toBe(T + 4_321);
  });

  it.each([-86_400_000, -3_600_000, -31_000, -2_500, 2_500, 31_000, 3_600_000, 86_400_000])(
    'is the service’s within a second when the machine’s is %i ms off',
    (off) => {
      const clock = answered(1_000, T - 1_000);
      const now = serviceTime(clock, { wall: T + 4_321 + off, steady: 5_321 });
      expect(Math.abs(now - (T + 4_321))).toBeLessThanOrEqual(1_100);
    },
  );

  it('goes on steadily when the machine’s clock is set', () => {
    const clock = answered(1_000, T - 1_000);
    const before = serviceTime(clock, { wall: T + 9_000 + 3_600_000, steady: 10_000 });
    const after = serviceTime(clock, { wall: T + 9_100, steady: 10_100 });
    expect(Math.abs(after - before - 100)).toBeLessThanOrEqual(1_100);
  });

  it('is known better with every answer', () => {
    let clock: ServiceClock | null = null;
    for (let sentAt = 0; sentAt < 60_000; sentAt += 777) clock = learn(clock, dated(sentAt, T));
    if (clock === null) throw new Error('nothing was learnt');
    expect(clock.aheadUntil - clock.aheadFrom).toBeLessThan(200);
    expect(clock.aheadFrom).toBeLessThanOrEqual(T);
    expect(clock.aheadUntil).toBeGreaterThanOrEqual(T);
  });

  it('is learnt again when an answer contradicts all before: the service’s clock was set', () => {
    const clock = learn(answered(1_000, T), dated(2_000, T + 60_000));
    expect(Math.abs(serviceTime(clock, { wall: 0, steady: 3_000 }) - (T + 63_000))).toBeLessThanOrEqual(
      1_100,
    );
  });
});
