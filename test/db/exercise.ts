import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import { CRON_JOBS, runCron } from '../../src/crons.ts';
import { DAY_MS, HOUR_MS, instant } from '../../src/domain/instant.ts';
import { backUpPart, discardOf, restoreOf } from '../backup/backups.ts';
import { beginCells, HERE, send as sendTo, session as sessionOf, settle, THERE } from '../backup/cells.ts';
import { PATH as CONFIGURATION, mustPut, CITY as WHOLE_CITY } from '../configuration/support.ts';
import { exampleOf, prepareExamples } from '../faults/calls.ts';
import {
  APP1_SESSIONS,
  aSessionLine,
  aSubscriptionLine,
  countsOf,
  file,
  SUBSCRIPTIONS,
  send,
} from '../imports/support.ts';
import { OPERATIONS } from '../suites/operations.ts';
import { issueCredential } from '../support/credential.ts';
import { ADMIN, type Answer, Service } from '../support/service.ts';

const CREDENTIALS = '/api/v2/admin/credentials';
const REPORT = '/api/v2/parking/reports/active-by-area';
const NOW = instant(Date.now());
const PLATE = 'AB123CD';
const text = (at: number): string => new Date(at).toISOString();
const [starts_at, ends_at] = [text(NOW - HOUR_MS), text(NOW + HOUR_MS)];

const service = new Service();

const ok = (answer: Answer): Answer => {
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer;
};
const administrate = async (method: string, path: string, body?: unknown) =>
  ok(await service.settle(path, { method, headers: ADMIN, body }));
const post = async (path: string, body: object, headers: Record<string, string>) =>
  ok(await service.settle(path, { method: 'POST', headers, body }));
const report = (headers: Record<string, string>) => post(REPORT, { municipality_code: 'H501' }, headers);

/**
 * Uses the whole service once: each operation as the suites call it, then each form that has a statement of its own, and
 * every cron.
 */
export async function exerciseService(): Promise<void> {
  await prepareExamples();
  for (const operation of OPERATIONS) {
    const call = await exampleOf(operation).next();
    await service.settle(call.path, call);
  }
  await exerciseConfiguration();
  const one = await issueCredential();
  const { headers: several } = await issueCredential({ municipalities: ['H501', 'L219'] });
  await exerciseCredentials(one.credentialId);
  await exerciseImports(one.headers);
  for (const headers of [one.headers, several]) await exerciseCalls(headers);
  await loseSnapshots();
  await report(one.headers);
  await service.settle(REPORT, { method: 'POST', headers: several, body: {} });
  await exerciseErasure(one.headers);
  for (const expression of Object.keys(CRON_JOBS)) await runCron(expression, env, () => NOW);
  await report(one.headers);
  await exerciseBackup();
  const muchLater = instant(NOW + 3_000 * DAY_MS);
  await runCron('17 * * * *', env, () => muchLater);
}

/** Makes another city, and changes all that it has. */
async function exerciseConfiguration(): Promise<void> {
  const another = JSON.stringify(WHOLE_CITY).replaceAll('H501', 'L219');
  await mustPut(JSON.parse(another), service);
  await mustPut(JSON.parse(another.replaceAll(/("name"|"descrizione"):"[^"]*"/g, '$1:"OTHER"')), service);
  await mustPut(
    JSON.parse(another.replaceAll(/"public_occupancy":false/g, '"public_occupancy":true')),
    service,
  );
  for (const active of [false, true]) await mustPut({ tenants: [{ code: 'acme', active }] }, service);
}

async function exerciseCredentials(after: string): Promise<void> {
  const issue = { tenant: 'acme', name: 'New', scopes: ['plate_check'], municipalities: ['H501'] };
  await administrate('POST', CREDENTIALS, { ...issue, areas: ['P1'] });
  const { body } = await administrate('POST', CREDENTIALS, { ...issue, source_code: 'app1' });
  await administrate('PATCH', `${CREDENTIALS}/${body.credential_id}`, { municipalities: ['L219'] });
  const filters = ['', 'tenant=acme&', 'municipality_code=H501&', 'tenant=acme&municipality_code=H501&'];
  for (const filter of filters) {
    await administrate('GET', `${CREDENTIALS}?${filter}limit=1`);
    await administrate('GET', `${CREDENTIALS}?${filter}limit=1&after=${after}`);
  }
  // What an office's calls read besides: its tenant, and whether what it names is its own.
  const { headers } = await issueCredential({ scopes: ['office'] });
  ok(await service.settle(`${CONFIGURATION}?municipality_code=H501`, { headers }));
  await service.settle('/api/v2/parking-entitlements/search', {
    method: 'POST',
    headers,
    body: { plate: PLATE },
  });
}

async function exerciseImports(headers: Record<string, string>): Promise<void> {
  const imported = async (path: string, ...lines: readonly object[]) =>
    countsOf(await send(service, path, file(lines), headers));
  const session = (session_id: string, changed: object = {}) =>
    aSessionLine({ session_id, area_code: 'P1', starts_at, ends_at: null, ...changed });
  await imported(
    APP1_SESSIONS,
    ...[session('parked', { ends_at }), session('running'), session('rejected', { area_code: 'NONE' })],
    session(`${PLATE}/1`),
    session('past', { starts_at: text(NOW - 500 * DAY_MS), ends_at: text(NOW - 499 * DAY_MS) }),
  );
  await imported(APP1_SESSIONS, session('running', { plate: 'AB123CE' }));
  await imported(APP1_SESSIONS, session('running'), session('parked', { ends_at, cancelled_at: ends_at }));
  const fleet = (size: number, periods: readonly object[]) =>
    aSubscriptionLine({
      ...{ subscription_number: 'FLEET', periods },
      plates: Array.from({ length: size }, (_, index) => ({ plate: `FLEET${index}` })),
    });
  const rejected = aSubscriptionLine({ subscription_number: 'rejected', type: 'NONE' });
  await imported(SUBSCRIPTIONS, aSubscriptionLine(), rejected, fleet(10, [{ starts_at, ends_at }]));
  await imported(SUBSCRIPTIONS, fleet(9, [{ starts_at, ends_at }]));
  await imported(SUBSCRIPTIONS, fleet(9, []));
}

/** With a credential for one city, or for several. */
async function exerciseCalls(headers: Record<string, string>): Promise<void> {
  const city = { municipality_code: 'H501' };
  const list = '/api/v2/facilities/P1/entitlement-list?municipality_code=H501';
  const { lines } = ok(await service.settle(list, { headers })).body;
  const { cursor } = (lines as { readonly cursor?: string }[]).at(-1) ?? {};
  ok(await service.settle(`${list}&cursor=${cursor}`, { headers }));
  for (const path of ['/api/v2/parking-entitlements/search', '/api/v1/parking/check-plate']) {
    await post(path, { plate: PLATE, ...city }, headers);
  }
  await post('/api/v2/evidence/search', { plate: PLATE, at: text(NOW), ...city }, headers);
  const options = { plate: PLATE, terminal_code: `${PLATE}/1`, ...city };
  await post('/api/v2/parking-meters/subscription-options', options, headers);
  for (const named of [city, {}]) {
    const checks = [{ id: '1', plate: PLATE, area_code: 'S1' }];
    await service.settle('/api/v2/patrol/checks', { method: 'POST', headers, body: { ...named, checks } });
  }
  await report(headers);

  const payments = '/api/v2/parking-meters/subscription-payments';
  const office = '/api/v2/admin/payments';
  // It spells a plate that is erased.
  const id = `${PLATE}/${crypto.randomUUID().slice(0, 8)}`;
  const window = { ...city, from: starts_at, until: ends_at };
  const paid = { ...city, codice_tariffa: '101', importo_eurocent: 2_500, collected_at: text(NOW) };
  await post(payments, { ...paid, payment_id: id, plate: 'FLEET1' }, headers);
  await post(payments, { ...paid, payment_id: `${id}/2`, plate: 'NONE' }, headers);
  await post(`${payments}/search`, { ...city, payment_id: id }, headers);
  await post(`${payments}/search`, window, headers);
  await administrate('POST', `${office}/search`, window);
  await administrate('POST', `${office}/settle`, { ...city, payment_id: `${id}/2`, outcome: 'refunded' });
  await post(`${payments}/reverse`, { ...city, payment_id: id, reversed_at: text(NOW) }, headers);
}

/** A report then reads its municipality from the database. */
async function loseSnapshots(): Promise<void> {
  const { keys } = await env.SNAPSHOTS.list();
  for (const { name } of keys) await env.SNAPSHOTS.delete(name);
}

/** Erases a plate, which then comes again. */
async function exerciseErasure(headers: Record<string, string>): Promise<void> {
  const plate = PLATE;
  const subscription = { municipality_code: 'H501', subscription_number: 'FLEET' };
  await administrate('POST', '/api/v2/admin/subscriptions/export', subscription);
  await administrate('POST', '/api/v2/admin/plates/export', { tenant: 'acme', plate });
  await administrate('POST', '/api/v2/admin/plates/erase', { tenant: 'acme', plate });
  const again = aSessionLine({ session_id: `${plate}/1`, area_code: 'P1', starts_at, ends_at });
  countsOf(await send(service, APP1_SESSIONS, file([again]), headers));
  countsOf(await send(service, SUBSCRIPTIONS, file([aSubscriptionLine()]), headers));
  const { body } = await post('/api/v2/parking-entitlements/search', { plate }, headers);
  await vi.waitFor(() => administrate('GET', `/api/v2/admin/calls/${body.request_id}`));
}

/** Restores a city into another cell, after throwing away a part of it, with a plate that was erased there meanwhile. */
async function exerciseBackup(): Promise<void> {
  await beginCells();
  const city = await settle('F205');
  await sendTo(city, 'sessions', sessionOf(`${PLATE}-1`, PLATE));
  const { code } = city;
  const { text: part, more } = await backUpPart(code, null);
  expect(more).toBe(false);
  for (const cell of [HERE, THERE]) {
    await cell.post('/api/v2/admin/plates/erase', { tenant: 'acme', plate: PLATE }, ADMIN);
  }
  await restoreOf(code, part.replace('"more":false', '"more":true'));
  await discardOf(code);
  const restored = await restoreOf(code, part);
  expect(restored.body, JSON.stringify(restored.body)).toMatchObject({ state: 'done' });
}
