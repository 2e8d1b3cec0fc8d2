import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { ADMIN, Service } from '../support/service.ts';

const DOCUMENT = {
  tenants: [{ code: 'acme', name: 'Acme Parking' }],
  municipalities: ['H501', 'L219'].map((code) => ({
    ...{ code, name: code, timezone: 'Europe/Rome', tenant: 'acme' },
    areas: ['S1', 'S2'].map((area) => ({ code: area, name: area, area_type: 'street' })),
    sources: [{ code: 'app1', name: 'App One', category: 'app' }],
  })),
};

it('New tenants, municipalities, areas and sources get random ids, which no restored sequence gives out again', async () => {
  const put = () =>
    new Service().call('/api/v2/admin/configuration', { method: 'PUT', body: DOCUMENT, headers: ADMIN });
  const ids: number[] = [];
  for (const round of [1, 2]) {
    expect([round, (await put()).body]).toMatchObject([round, { created: 9 }]);
    for (const table of ['configuration_versions', 'changes']) {
      await env.DB.prepare(`delete from ${table}`).run();
    }
    for (const table of ['sources', 'areas', 'municipalities', 'tenants']) {
      const { results } = await env.DB.prepare(`select id from ${table}`).all<{ id: number }>();
      ids.push(...results.map(({ id }) => id));
      // As if the database had been put back to before the document.
      await env.DB.prepare(`delete from ${table}`).run();
    }
  }
  expect(new Set(ids).size).toBe(18);
  expect(ids.every((id) => Number.isSafeInteger(id) && id >= 1)).toBe(true);
  // Eighteen numbers below 2^40 by chance: one in 2^234.
  expect(Math.max(...ids)).toBeGreaterThan(2 ** 40);
});
