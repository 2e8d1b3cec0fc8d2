import { describe, expect, it } from 'vitest';
import { Deadline, TimeoutError } from '../../src/base/platform/deadline.ts';
import { Slot, WaitingLine } from '../../src/base/platform/turns.ts';
import { Arrival, mayArrive } from '../../src/intake/imports/run-in-turn.ts';

const KIB = 1024;
const BEGUN_MS = 5_000;

/** What is left at an instant, after bytes that came at others; counted from when reading began. */
function leftAt(ms: number, parts: readonly (readonly [ms: number, bytes: number])[]): number {
  const arrival = new Arrival(BEGUN_MS);
  for (const [at, bytes] of parts) arrival.add(bytes, BEGUN_MS + at);
  return arrival.leftMs(BEGUN_MS + ms);
}

describe('A body', () => {
  it.each([
    ['has 60 s for its first byte', 0, [], 60_000],
    ['has no time left after 60 s without one', 60_000, [], 0],
    ['has 10 s from its first byte on', 50, [[50, 1]], 10_000],
    ['counts an empty part as none', 50, [[50, 0]], 59_950],
    ['is in time until they are over', 10_049, [[50, 1]], 1],
    ['is too late then', 10_050, [[50, 1]], 0],
    ['is too late with a byte less than 64 KiB', 10_000, [[0, 64 * KIB - 1]], 0],
    ['goes on with 64 KiB, in one part', 10_000, [[0, 64 * KIB]], 10_000],
    [
      'goes on with 64 KiB, in several',
      10_000,
      [
        [0, 1],
        [9_999, 64 * KIB - 1],
      ],
      10_000,
    ],
    [
      'needs them again in the next 10 s',
      20_000,
      [
        [0, 64 * KIB],
        [10_000, 64 * KIB - 1],
      ],
      0,
    ],
    ['saves nothing up for the next 10 s', 20_000, [[0, 640 * KIB]], 0],
    [
      'has at most 60 s in all',
      59_000,
      [0, 1, 2, 3, 4, 5].map((n) => [n * 10_000, 64 * KIB] as const),
      1_000,
    ],
    [
      'stays too late, whatever comes after it',
      10_001,
      [
        [0, 1],
        [10_000, 640 * KIB],
      ],
      0,
    ],
  ] as const)('%s', (_, ms, parts, left) => {
    expect(leftAt(ms, parts)).toBe(left);
  });
});

/** `a1`: a first credential of a tenant. */
const sender = (name: string) => ({ credentialId: name, tenantId: name.charCodeAt(0) });

describe('Of the bodies that arrive,', () => {
  it.each([
    ['the first has a slot', 'a1', [], true],
    ['a second one of a credential has none', 'a1', ['a1'], false],
    ['a second one of a tenant has a slot', 'a2', ['a1'], true],
    ['a third one of a tenant has none', 'a3', ['a1', 'a2'], false],
    ['a third one has a slot', 'b1', ['a1', 'a2'], true],
    ['the fourth has one where its tenant has none', 'c1', ['a1', 'a2', 'b1'], true],
    ['the fourth has none where its tenant has one', 'b2', ['a1', 'a2', 'b1'], false],
    ['a fifth has none, whoever sends it', 'e1', ['a1', 'b1', 'c1', 'd1'], false],
  ] as const)('%s', (_, body, arriving, may) => {
    expect(mayArrive(sender(body), arriving.map(sender))).toBe(may);
  });
});

describe('A slot', () => {
  it('is waited for no longer than it may be', async () => {
    const line = new WaitingLine<Slot>((_, holders) => holders.length === 0, 10_000);
    const [first, second] = ['a1', 'b1'].map((name) => new Slot(line, sender(name), new Deadline(60_000)));
    await first?.hold();
    await expect(second?.hold(undefined, 1)).rejects.toThrow(TimeoutError);
    first?.leave();
    await second?.hold(undefined, 1);
  });
});
