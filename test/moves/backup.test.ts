import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LocationRow, locateByRows } from '../../src/storage/databases/lives-at.ts';
import { moveWhole } from '../databases/nation.ts';
import type { Service } from '../support/service.ts';
import { afterFirst, backUpPart, codeOf, nextPart } from './backups.ts';
import { beginMoving, type Mover, send, session, settle } from './movers.ts';

let service: Service;
let cities = 0;
let mover: Mover;

beforeAll(async () => {
  service = await beginMoving();
  return () => vi.restoreAllMocks();
});
beforeEach(async () => {
  cities += 1;
  mover = await settle(service, `BACK${cities}`, 'DB_2');
});

describe('A backup', () => {
  const next = (after: string) => nextPart(service, mover.code, after);

  it('of a city that moves meanwhile begins again', async () => {
    const { after } = await backUpPart(service, mover.code, null);
    expect(codeOf(await next(after)), 'it was whole').toEqual([410, 'CURSOR_GONE']);
    expect(codeOf(await next('made-up'))).toEqual([410, 'CURSOR_GONE']);
    const first = await afterFirst(service, mover.code);
    expect((await next(first)).status).toBe(200);
    await moveWhole(service, mover.code, 'DB_3');
    expect(codeOf(await next(first))).toEqual([410, 'CURSOR_GONE']);
  });

  it.each([
    ['has stood still since', 0],
    ['has gone on since, to the same numbers', 3],
  ])('whose database was put back to an earlier time, and %s, begins again', async (_, imports) => {
    await send(mover, 'sessions', session('S-1', 'AA000AA'));
    const first = await afterFirst(service, mover.code);
    expect((await next(first)).status).toBe(200);
    await env.SECOND.prepare(
      'delete from changes where recorded_at = (select max(recorded_at) from changes)',
    ).run();
    for (let index = 0; index < imports; index += 1) {
      await send(mover, 'sessions', session(`S-${index + 2}`, 'AA000AA'));
    }
    const gone = await next(first);
    expect(codeOf(gone)).toEqual([410, 'CURSOR_GONE']);
    expect(JSON.stringify(gone.body.error)).toContain('put back to an earlier time');
  });
});

describe('Where a municipality lives', () => {
  const row = (movedTo: string | null, stay: number, arriving = false): LocationRow => ({
    ...{ movedTo, stay, arriving },
  });

  it.each<[what: string, rows: readonly (readonly [string, LocationRow])[], name: string | null]>([
    ['nowhere, without a row', [], null],
    ['where its only row is', [['DB', row(null, 1)]], 'DB'],
    [
      'where the pointer leads',
      [
        ['DB', row('DB_2', 1)],
        ['DB_2', row(null, 2)],
      ],
      'DB_2',
    ],
    [
      'still at home, while a copy arrives',
      [
        ['DB', row(null, 1)],
        ['DB_2', row('DB', 2, true)],
      ],
      'DB',
    ],
    [
      'in its copy, once the old row points there',
      [
        ['DB', row('DB_2', 1)],
        ['DB_2', row('DB', 2, true)],
      ],
      'DB_2',
    ],
    [
      'nowhere, where the copy is of another stay',
      [
        ['DB', row('DB_2', 1)],
        ['DB_2', row('DB', 3, true)],
      ],
      null,
    ],
    [
      'nowhere, where the pointer leads elsewhere',
      [
        ['DB', row('DB_3', 1)],
        ['DB_2', row('DB', 2, true)],
      ],
      null,
    ],
    [
      'nowhere, where both are copies',
      [
        ['DB', row('DB_2', 1, true)],
        ['DB_2', row('DB', 2, true)],
      ],
      null,
    ],
    ['nowhere, where its database is lost', [['DB', row('DB_2', 1)]], null],
    ['nowhere, where its copy’s origin is lost', [['DB_2', row('DB', 2, true)]], null],
    [
      'nowhere, while it is restored',
      [
        ['DB', row('DB_3', 1)],
        ['DB_3', row('backup', 2, true)],
      ],
      null,
    ],
  ])('is said by its rows: %s', (_, rows, name) => {
    expect(locateByRows(new Map(rows))).toBe(name);
  });
});
