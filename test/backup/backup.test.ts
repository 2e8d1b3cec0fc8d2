import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ADMIN } from '../support/service.ts';
import { backUpPart, codeOf, nextPart } from './backups.ts';
import { beginCells, type City, HERE, settle } from './cells.ts';

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

  it('keeps who took it', async () => {
    const path = `/api/v2/admin/municipalities/${city.code}/backup`;
    const taken = async (reference: string) =>
      HERE.settle(path, { headers: { ...ADMIN, 'Officer-Reference': reference } });
    expect((await taken('not visible: é')).status).toBe(422);
    expect((await taken('badge-7')).status).toBe(200);
    const logged = await env.DB.prepare(
      "select officer_reference as officer from calls where action = 'municipality.backup' and officer_reference is not null",
    ).all();
    expect(logged.results).toEqual([{ officer: 'badge-7' }]);
  });

  it('has the checks of its digest keys, and no key', async () => {
    const { text } = await backUpPart(city.code, null);
    const { digest_keys } = JSON.parse(text.split('\n')[0] ?? '') as { digest_keys: string[] };
    expect(digest_keys).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)]);
    expect(text).not.toContain(String(env.DIGEST_KEY));
  });
});
