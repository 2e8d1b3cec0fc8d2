import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { afterOf, backUpInSteps, backUpPart, codeOf, nextPart, steppingClock } from './backups.ts';
import { beginCells, type City, send, session, settle, subscription } from './cells.ts';

let cities = 0;
let city: City;

beforeAll(async () => {
  await beginCells();
  return () => vi.restoreAllMocks();
});
beforeEach(async () => {
  cities += 1;
  city = await settle(`BACK${cities}`);
});

describe('A backup', () => {
  it('has the checks of its digest keys, and no key', async () => {
    const { text } = await backUpPart(city.code, null);
    const { digest_keys } = JSON.parse(text.split('\n')[0] ?? '') as { digest_keys: string[] };
    expect(digest_keys).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)]);
    expect(text).not.toContain(String(env.DIGEST_KEY));
  });
});

describe('The position of a backup', () => {
  it('holds numbers alone, behind the backup’s id: no key and no plate', async () => {
    // More subscriptions than a step reads.
    const indexes = Array.from({ length: 60 }, (_, index) => index);
    await send(city, 'subscriptions', ...indexes.map((index) => subscription(`N-${index}`, [`P${index}`])));
    const parts = await backUpInSteps(city.code);
    for (const part of parts) expect(afterOf(part)).toMatch(/^[0-9a-f-]{36}(\.\d+)+$/);
    const rows = parts.flatMap((part) =>
      part.split('\n').filter((line) => line.includes('"kind":"subscriptions"')),
    );
    expect(new Set(rows).size).toBe(60);
  });

  it('is the same where the same part is taken twice, and another one in another backup', async () => {
    await send(city, 'sessions', session('S', 'AB123CD'));
    const [first = '', second = ''] = await backUpInSteps(city.code);
    const clock = steppingClock();
    const again = await backUpPart(city.code, afterOf(first));
    clock.mockRestore();
    expect(again.text).toBe(second);
    const [another = ''] = await backUpInSteps(city.code);
    expect(afterOf(another)).not.toBe(afterOf(first));
  });

  it('is gone where it was made up, cut, made for another municipality, or the last one', async () => {
    const parts = await backUpInSteps(city.code);
    const [first, last] = [parts[0] ?? '', parts.at(-1) ?? ''].map(afterOf);
    const other = await settle(`${city.code}O`);
    const tries: readonly (readonly [string, string | null | undefined, unknown])[] = [
      [city.code, 'made-up', [410, 'CURSOR_GONE']],
      [city.code, first?.slice(0, 8), [410, 'CURSOR_GONE']],
      [other.code, first, [410, 'CURSOR_GONE']],
      [city.code, last, [410, 'CURSOR_GONE']],
      ['NOWHERE', null, [404, 'NOT_FOUND']],
    ];
    for (const [code, after, expected] of tries) {
      expect(codeOf(await nextPart(code, after ?? null)), `${code} ${after}`).toEqual(expected);
    }
    expect((await nextPart(city.code, first ?? null)).status).toBe(200);
  });
});
