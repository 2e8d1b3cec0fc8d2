import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { afterFirst, backUpPart, codeOf, nextPart } from './backups.ts';
import { beginCells, type City, send, session, settle } from './cells.ts';

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
  it('ends, and knows no position that was made up', async () => {
    const { after } = await backUpPart(city.code, null);
    expect(codeOf(await nextPart(city.code, after)), 'it was whole').toEqual([410, 'CURSOR_GONE']);
    expect(codeOf(await nextPart(city.code, 'made-up'))).toEqual([410, 'CURSOR_GONE']);
    expect(codeOf(await nextPart('NOWHERE', null))).toEqual([404, 'NOT_FOUND']);
  });

  it.each([
    ['has stood still since', 0],
    ['has gone on since, to the same numbers', 3],
  ])('whose database was put back to an earlier time, and %s, begins again', async (_, imports) => {
    await send(city, 'sessions', session('S-1', 'AA000AA'));
    const first = await afterFirst(city.code);
    expect((await nextPart(city.code, first)).status).toBe(200);
    await env.DB.prepare(
      'delete from changes where recorded_at = (select max(recorded_at) from changes)',
    ).run();
    for (let index = 0; index < imports; index += 1) {
      await send(city, 'sessions', session(`S-${index + 2}`, 'AA000AA'));
    }
    const gone = await nextPart(city.code, first);
    expect(codeOf(gone)).toEqual([410, 'CURSOR_GONE']);
    expect(JSON.stringify(gone.body.error)).toContain('put back to an earlier time');
  });
});
