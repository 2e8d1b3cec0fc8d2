import { describe, expect, it } from 'vitest';
import { KEPT_AWAY, WORST } from './pattern-cases.ts';
import { patternsInSource } from './patterns.ts';

const KIB = 1024;
const CHARACTERS = 64 * KIB;
/** A linear pattern takes some ten times as long as a look at each character, a quadratic one some ten thousand times. */
const MAX_TIMES_A_SCAN = 200;
const TRIES = 5;

/** What any pattern is tried with, besides its own worst. */
const ANYTHING = ['"', '\\', '\\"', ' ', '\n', 'a', 'a1', '/', '=', ';', '1', '.', "'", '_', 'é', 'DB_', '-'];

const found = patternsInSource();
/** Repeats something without a bound, as far as its characters say that stand for more than themselves. */
const repeats = (written: string): boolean =>
  written.startsWith('RegExp(') ||
  /[*+]|\{\d+,\}/.test(written.replace(/\\[\s\S]/g, '').replace(/\[[^\]]*\]/g, ''));

const inSource = [...new Set(found.map(({ written }) => written))];
const known = new Set([...Object.keys(WORST), ...Object.keys(KEPT_AWAY)]);
const tried = inSource.filter(
  (written) => !(written in KEPT_AWAY) && (!repeats(written) || known.has(written)),
);

function msOf(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

let seen = 0;
/** A look at each character: what nothing that reads a text can do without. */
function scan(text: string): void {
  for (let at = 0; at < text.length; at += 1) {
    seen += text.charCodeAt(at) === 0x22 ? 1 : 0;
  }
}

/** The pattern as its source has it, looked for all over a text. */
function everywhere(written: string): RegExp {
  const [, pattern = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(written) ?? [];
  return new RegExp(pattern, flags.includes('g') ? flags : `${flags}g`);
}

/** How many times as long as a scan a pattern takes: the best of some tries, since the machine may be busy. */
function timesAScan(pattern: RegExp, text: string): number {
  let best = Infinity;
  for (let tries = 0; tries < TRIES && best > MAX_TIMES_A_SCAN; tries += 1) {
    const plain = Math.max(...[1, 2, 3].map(() => msOf(() => scan(text))));
    best = Math.min(best, msOf(() => text.replace(pattern, '')) / plain);
  }
  return best;
}

const filled = (before: string, pump: string, behind: string): string =>
  before + pump.repeat(Math.ceil(CHARACTERS / pump.length)).slice(0, CHARACTERS) + behind;

describe('A regular expression', () => {
  it('that repeats something without a bound is among the cases, and each case stands in the source', () => {
    const repeating = found.filter(({ written }) => repeats(written));
    expect(repeating.filter(({ written }) => !known.has(written))).toEqual([]);
    expect([...known].filter((written) => !inSource.includes(written))).toEqual([]);
  });

  it.each(tried)('%s reads 64 KiB of its worst case in one go', (written) => {
    const pattern = everywhere(written);
    const cases = WORST[written] ?? [];
    const texts = [
      ...cases.map(([before, pump, behind]) => filled(before, pump, behind)),
      ...ANYTHING.map((pump) => filled('', pump, '\u0000')),
    ];
    for (const text of texts) {
      const times = timesAScan(pattern, text);
      expect(times, `${text.slice(0, 20)}…${text.slice(-10)}`).toBeLessThan(MAX_TIMES_A_SCAN);
    }
  });

  it('that goes back over what it has read is found out', () => {
    const goesBack = /"(?:[^"\\]|\\.)*"/g;
    // A quarter of the characters: it goes back far enough to be seen, and takes a sixteenth of the time.
    const text = '\\"'.repeat(CHARACTERS / 8);
    // A busy machine may hold up every scan that it is compared with, but not each time.
    const isFound = () => timesAScan(goesBack, text) > MAX_TIMES_A_SCAN;
    expect(Array.from({ length: 10 }).some(isFound)).toBe(true);
    expect(seen).toBeGreaterThan(0);
  });

  it('that is kept away from what is stored or sent says by what', () => {
    for (const [written, reason] of Object.entries(KEPT_AWAY)) {
      expect(reason, written).toMatch(/^\w.{20,}/);
    }
  });
});
