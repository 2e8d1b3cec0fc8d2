import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import { DAY_MS, HOUR_MS, instant } from '../../src/domain/instant.ts';
import type { Answer } from '../support/service.ts';

const CONFIGURATION = '/api/v2/admin/configuration';
const CREDENTIALS = '/api/v2/admin/credentials';
const NOW = instant(Date.now());
const text = (at: number): string => new Date(at).toISOString();

const city = (code: string, name: string) => ({
  code,
  name,
  timezone: 'Europe/Rome',
  tenant: 'acme',
  services: { public_occupancy: true },
  areas: [
    { code: 'P1', name, area_type: 'facility', capacity: 300 },
    { code: 'S1', name, area_type: 'street' },
  ],
  sources: [{ code: 'app1', name, category: 'app' }],
  subscription_types: [{ code: 'RES', name }],
  plans: [
    {
      codice_tariffa: '101',
      subscription_type: 'RES',
      importo_eurocent: 2_500,
      duration: 'P1M',
      descrizione: name.toUpperCase(),
    },
  ],
});

const documentOf = (name: string) => ({
  tenants: [{ code: 'acme', name }],
  municipalities: [city('H501', name), city('L219', name)],
});

/**
 * Uses the whole service once, from an empty database on: every operation through HTTP, in each form that has a
 * statement of its own, and every cron. Its modules are taken as they are when this is called.
 */
export async function exerciseService(): Promise<void> {
  const { ADMIN, bearer, Service } = await import('../support/service.ts');
  const { CRON_JOBS, runCron } = await import('../../src/crons.ts');
  const service = new Service();

  const ok = (answer: Answer): Answer => {
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer;
  };
  const administrate = async (method: string, path: string, body?: unknown) =>
    ok(await service.settle(path, { method, headers: ADMIN, body }));
  const issue = async (changed: object = {}) => {
    const { body } = await administrate('POST', CREDENTIALS, {
      tenant: 'acme',
      name: 'All',
      scopes: [
        'plate_check',
        'subscription_options',
        'subscription_payments',
        'report',
        'import',
        'evidence',
        'entitlement_list',
        'patrol',
      ],
      municipalities: ['H501'],
      ...changed,
    });
    return { id: String(body.credential_id), headers: bearer(String(body.access_token)) };
  };

  await service.settle('/ready', {});
  await administrate('PUT', CONFIGURATION, documentOf('Before'));
  await administrate('PUT', CONFIGURATION, documentOf('After'));
  for (const active of [false, true]) {
    await administrate('PUT', CONFIGURATION, { tenants: [{ code: 'acme', active }] });
  }
  await administrate('GET', `${CONFIGURATION}?municipality_code=H501`);
  await administrate('GET', '/api/v2/admin/status');

  const one = await issue();
  await service.settle('/api/v2/credential', { headers: one.headers });
  const several = await issue({ municipalities: ['H501', 'L219'] });
  await exerciseCredentials();
  await exerciseOffice();
  await exerciseImports();
  await exerciseCalls();
  for (const expression of Object.keys(CRON_JOBS)) {
    await runCron(expression, env, () => NOW);
  }
  await ok(await report());
  await exerciseBackup();
  const muchLater = instant(NOW + 3_000 * DAY_MS);
  await runCron('17 * * * *', env, () => muchLater);

  async function exerciseCredentials(): Promise<void> {
    await issue({ scopes: ['plate_check'], areas: ['P1'] });
    const { id } = await issue({ source_code: 'app1' });
    await administrate('PATCH', `${CREDENTIALS}/${id}`, { name: 'Other', municipalities: ['L219'] });
    await administrate('POST', `${CREDENTIALS}/${id}/rotate`, {});
    await administrate('POST', `${CREDENTIALS}/${id}/revoke`);
    const filters = ['', 'tenant=acme&', 'municipality_code=H501&', 'tenant=acme&municipality_code=H501&'];
    for (const filter of filters) {
      await administrate('GET', `${CREDENTIALS}?${filter}limit=1`);
      await administrate('GET', `${CREDENTIALS}?${filter}limit=1&after=${one.id}`);
    }
  }

  /** What an office's calls read besides: its tenant, and whether what it names is its own. */
  async function exerciseOffice(): Promise<void> {
    const { headers } = await issue({ scopes: ['office'] });
    ok(await service.settle(`${CONFIGURATION}?municipality_code=H501`, { headers }));
    const body = { plate: 'AB123CD' };
    await service.settle('/api/v2/parking-entitlements/search', { method: 'POST', headers, body });
  }

  async function send(path: string, lines: readonly object[]): Promise<void> {
    const headers = { 'Content-Type': 'application/x-ndjson', ...one.headers };
    const body = lines.map((line) => JSON.stringify(line)).join('\n');
    ok(await service.settle(`/api/v2/imports/${path}`, { method: 'POST', headers, body }));
  }

  async function exerciseImports(): Promise<void> {
    const [starts_at, ends_at] = [text(NOW - HOUR_MS), text(NOW + HOUR_MS)];
    const session = { plate: 'AB123CD', area_code: 'P1', starts_at };
    await send('sessions?source_code=app1', [
      { ...session, session_id: 'parked', ends_at },
      { ...session, session_id: 'running' },
      { ...session, session_id: 'cancelled', ends_at, cancelled_at: ends_at },
      { ...session, session_id: 'rejected', area_code: 'NONE' },
      { ...session, session_id: 'AB123CD/1' },
      {
        ...session,
        session_id: 'past',
        starts_at: text(NOW - 500 * DAY_MS),
        ends_at: text(NOW - 499 * DAY_MS),
      },
    ]);
    await send('sessions?source_code=app1', [{ ...session, session_id: 'running', plate: 'AB123CE' }]);
    await send('sessions?source_code=app1', [
      { ...session, session_id: 'running' },
      { ...session, session_id: 'parked', ends_at, cancelled_at: ends_at },
    ]);
    await send('subscriptions', [
      {
        subscription_number: 'R-1',
        type: 'RES',
        plates: [{ plate: 'AB123CD' }],
        approval: 'approved',
        areas: ['P1'],
        periods: [{ starts_at, ends_at }],
      },
      { subscription_number: 'rejected', type: 'NONE', plates: [{ plate: 'AB123CD' }] },
    ]);
    const fleet = (size: number) => ({
      subscription_number: 'FLEET',
      type: 'RES',
      plates: Array.from({ length: size }, (_, index) => ({ plate: `FLEET${index}` })),
      approval: 'approved',
      areas: ['P1'],
      periods: [{ starts_at, ends_at }],
    });
    await send('subscriptions', [fleet(10)]);
    await send('subscriptions', [fleet(9)]);
    await send('subscriptions', [{ ...fleet(9), periods: [] }]);
  }

  /** Each with a credential for one city and with one for several, which has to name none. */
  async function exerciseCalls(): Promise<void> {
    const plate = 'AB123CD';
    const list = '/api/v2/facilities/P1/entitlement-list';
    const full = ok(await service.settle(list, { headers: one.headers }));
    const [end] = (full.body.lines as { readonly cursor?: string }[]).slice(-1);
    await service.settle(`${list}?cursor=${end?.cursor}`, { headers: one.headers });
    await service.settle(`${list}?municipality_code=H501`, { headers: several.headers });
    await service.settle(list, { headers: several.headers });
    const search = '/api/v2/parking-entitlements/search';
    for (const { headers } of [one, several]) {
      for (const body of [{ plate }, { plate, area_code: 'P1', event: 'entry' }]) {
        await service.settle(search, { method: 'POST', headers, body });
      }
      for (const body of [{ plate }, { plate, area_code: 'P1' }]) {
        await service.settle('/api/v1/parking/check-plate', { method: 'POST', headers, body });
      }
      await service.settle('/api/v2/evidence/search', {
        method: 'POST',
        headers,
        body: { plate, at: text(NOW), municipality_code: 'H501' },
      });
      for (const body of [{}, { municipality_code: 'H501' }]) {
        await service.settle('/api/v2/patrol/checks', {
          method: 'POST',
          headers,
          body: { ...body, checks: [{ id: '1', plate, area_code: 'S1' }] },
        });
      }
      await service.settle('/api/v2/parking-meters/subscription-options', {
        method: 'POST',
        headers,
        body: { plate, terminal_code: 'AB123CD/1' },
      });
    }
    await exercisePayments();
    await report(several.headers);
    await loseSnapshots();
    ok(await report());
    await administrate('POST', '/api/v2/admin/plates/export', { tenant: 'acme', plate });
    await administrate('POST', '/api/v2/admin/subscriptions/export', {
      ...{ municipality_code: 'H501', subscription_number: 'FLEET' },
    });
    await administrate('POST', '/api/v2/admin/plates/erase', { tenant: 'acme', plate });
    const [starts_at, ends_at] = [text(NOW - HOUR_MS), text(NOW + HOUR_MS)];
    const again = { session_id: 'AB123CD/1', plate, area_code: 'P1', starts_at, ends_at };
    await send('sessions?source_code=app1', [again]);
    await send('subscriptions', [
      {
        ...{ subscription_number: 'R-1', type: 'RES', plates: [{ plate }], approval: 'approved' },
        ...{ areas: 'all', periods: [{ starts_at, ends_at }] },
      },
    ]);
    ok(await report());
    const { body } = ok(
      await service.settle(search, { method: 'POST', headers: one.headers, body: { plate } }),
    );
    await vi.waitFor(() => administrate('GET', `/api/v2/admin/calls/${body.request_id}`));
  }

  /** A report then reads its municipality from the database. */
  async function loseSnapshots(): Promise<void> {
    const { keys } = await env.SNAPSHOTS.list();
    for (const { name } of keys) await env.SNAPSHOTS.delete(name);
  }

  async function exercisePayments(): Promise<void> {
    const path = '/api/v2/parking-meters/subscription-payments';
    const office = '/api/v2/admin/payments';
    const window = { from: text(NOW - HOUR_MS), until: text(NOW + HOUR_MS) };
    const payment = { codice_tariffa: '101', importo_eurocent: 2_500, collected_at: text(NOW) };
    for (const { headers } of [one, several]) {
      const city = { municipality_code: 'H501' };
      const send = async (below: string, body: object) =>
        ok(await service.settle(`${path}${below}`, { method: 'POST', headers, body: { ...city, ...body } }));
      const of = headers === one.headers ? 'AB123CD/1' : 'P-2';
      const paid = await send('', { payment_id: of, plate: 'FLEET1', ...payment });
      await send('', {
        ...{ payment_id: `${of}/2`, plate: 'AB123CD', ...payment },
        options_request_id: paid.body.request_id,
      });
      await send('', { payment_id: `${of}/3`, plate: 'NONE', ...payment });
      await send('/search', { payment_id: of });
      await send('/search', window);
      await administrate('POST', `${office}/search`, { ...city, ...window });
      const settlement = { ...city, payment_id: `${of}/3`, outcome: 'refunded' };
      await administrate('POST', `${office}/settle`, settlement);
      await send('/reverse', { payment_id: of, reversed_at: text(NOW) });
    }
  }

  function report(headers = one.headers): Promise<Answer> {
    return service.settle('/api/v2/parking/reports/active-by-area', { method: 'POST', headers, body: {} });
  }
}

/** Restores a city into another cell, after throwing away a part of it, with a plate that was erased there meanwhile. */
async function exerciseBackup(): Promise<void> {
  const { HERE, THERE, beginCells, send, session, settle } = await import('../backup/cells.ts');
  const { backUpPart, discardOf, restoreOf } = await import('../backup/backups.ts');
  const { ADMIN } = await import('../support/service.ts');
  await beginCells();
  const plate = 'AB123CD';
  const city = await settle('F205');
  await send(city, 'sessions', session(`${plate}-1`, plate));
  const { code } = city;
  const { text, more } = await backUpPart(code, null);
  expect(more).toBe(false);
  const erasure = { tenant: 'acme', plate };
  await HERE.post('/api/v2/admin/plates/erase', erasure, ADMIN);
  await THERE.post('/api/v2/admin/plates/erase', erasure, ADMIN);
  await restoreOf(code, text.replace('"more":false', '"more":true'));
  await discardOf(code);
  const restored = await restoreOf(code, text);
  expect(restored.body, JSON.stringify(restored.body)).toMatchObject({ state: 'done' });
}
