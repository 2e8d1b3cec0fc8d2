import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { ADMIN } from '../support/service.ts';
import { SEVERAL } from '../support/several.ts';
import { administrate, beginNation, CITIES, type Nation } from './nation.ts';

let nation: Nation;

beforeAll(async () => {
  nation = await beginNation();
});

describe('A call', () => {
  it('is logged where its municipality lives, and found wherever that is', async () => {
    for (const where of CITIES) {
      const answer = await nation.service.settle('/api/v2/parking-entitlements/search', {
        method: 'POST',
        headers: nation.all,
        body: { plate: 'X', municipality_code: where.code },
      });
      const id = String(answer.body.request_id);
      await vi.waitFor(async () => {
        const rows = await Promise.all(
          CITIES.map(({ database }) =>
            SEVERAL[database].prepare('select 1 from logged_calls where request_id = ?').bind(id).first(),
          ),
        );
        expect(rows.map((row) => row !== null)).toEqual(CITIES.map((one) => one === where));
      });
      const found = await administrate(nation.service, 'GET', `/api/v2/admin/calls/${id}`);
      expect(found.body.call).toMatchObject({ municipality_code: where.code });
    }
    const unknown = await nation.service.call(`/api/v2/admin/calls/${crypto.randomUUID()}`, {
      headers: ADMIN,
    });
    expect(unknown.status).toBe(404);
  });

  it('without a municipality is in the home’s log', async () => {
    const answer = await nation.service.settle('/api/v2/parking-meters/subscription-options', {
      method: 'POST',
      headers: nation.all,
      body: { plate: 'X' },
    });
    const id = String(answer.body.request_id);
    const row = await env.DB.prepare('select outcome from logged_calls where request_id = ?')
      .bind(id)
      .first();
    expect(row).toEqual({ outcome: 'MUNICIPALITY_REQUIRED' });
  });
});
