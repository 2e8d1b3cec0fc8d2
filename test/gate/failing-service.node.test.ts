import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { probing } from '../../clients/client/gate/circuit.ts';
import { cutShort, error, hang, html, json, type Reply, reset } from '../client/scripted-service.ts';
import { decision, KNOWN, listed, listOfNow, ScriptedGate, STRANGER } from './scripted-gate.ts';

let scripted: ScriptedGate;
beforeEach(async () => {
  scripted = await ScriptedGate.start();
});
afterEach(() => scripted.service.stop());

describe('A gate whose service fails', () => {
  const FAILURES: readonly (readonly [string, Reply])[] = [
    ['hangs', hang],
    ['breaks the connection', reset],
    ['fails', error(500, 'TEMPORARY_ERROR')],
    ['is behind a proxy that says 502', html(502)],
    ['cuts its answer short', cutShort({ access_granted: false, has_valid_entitlement: false })],
    ['is hidden by a captive portal’s page', html(200)],
    ['is hidden by a captive portal’s redirect', html(302, { Location: 'https://portal.example' })],
    ['is replaced by one that says no in another way', json(200, { access_granted: false })],
    ['answers about another car', decision(false, { plate: 'B2' })],
    ['answers about another facility', decision(false, { area: { code: 'P9', name: 'Nord' } })],
    ['answers about another event', decision(false, { access_event: 'exit' })],
    ['answers a verdict that is a text', decision(false, { access_granted: 'true' })],
    ['answers for a street', decision(false, { access_granted: undefined })],
    ['limits it', error(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '60' })],
    ['refuses its token', error(401, 'TOKEN_REVOKED')],
    ['knows no such area', error(404, 'AREA_NOT_FOUND')],
  ];

  it.each(FAILURES)(
    'because it %s, opens to whom the list knows, and asks for others',
    async (_, failure) => {
      const gate = scripted.gate();
      await gate.refresh();
      scripted.check = failure;
      expect(await gate.decide(KNOWN, 'entry')).toMatchObject({
        action: 'open',
        basis: 'list',
        reasonCode: 'VALID_PREPAID_FACILITY_SESSION',
        listAsOf: expect.any(String),
      });
      expect(await gate.decide(STRANGER, 'entry')).toMatchObject({
        action: 'ask_attendant',
        basis: 'policy',
        reasonCode: 'UNKNOWN_NO_VALID_FACILITY_ENTITLEMENT',
      });
    },
  );

  it.each(['open', 'stay_shut', 'ask_attendant'] as const)('does by policy: %s', async (whenUnknown) => {
    const gate = scripted.gate({ whenUnknown });
    scripted.check = reset;
    expect(await gate.decide(KNOWN, 'entry')).toMatchObject({
      action: whenUnknown,
      basis: 'policy',
      reasonCode: 'UNKNOWN_NO_LIST',
    });
  });

  it('lets no driver wait any more after three failures, and goes back when a probe is answered', async () => {
    const gate = scripted.gate({ probeEveryMs: 300 });
    await gate.refresh();
    scripted.check = hang;
    for (let car = 0; car < 3; car++) await gate.decide(KNOWN, 'entry');
    expect(gate.status().circuit).toBe('open');

    scripted.list = [error(500, 'TEMPORARY_ERROR')];
    await wait(350);
    const asked = scripted.checks;
    expect(await gate.decide(KNOWN, 'entry')).toMatchObject({
      action: 'open',
      basis: 'list',
      requestId: null,
    });
    expect(await gate.decide(STRANGER, 'entry')).toMatchObject({ action: 'ask_attendant', requestId: null });
    await expect.poll(() => scripted.probes).toBeGreaterThan(0);
    expect([scripted.checks, gate.status().circuit]).toEqual([asked, 'open']);

    scripted.check = decision(false);
    scripted.list = [listed(await listOfNow({ mode: 'delta' }))];
    await expect.poll(async () => (await gate.decide(KNOWN, 'entry')).basis).toBe('service');
    const states = scripted.eventsOf('circuit').map(({ state }) => state);
    expect([states[0], states[1], states.at(-1)]).toEqual(['open', 'trial', 'closed']);
  });

  it('forgets its failures with an answer', async () => {
    const gate = scripted.gate();
    for (const reply of [reset, reset, decision(true), reset, reset]) {
      scripted.check = reply;
      await gate.decide(KNOWN, 'entry');
    }
    expect(gate.status().circuit).toBe('closed');
  });

  it('opens the circuit again with the first failure of a trial', async () => {
    const gate = scripted.gate({ probeEveryMs: 50 });
    await gate.refresh();
    scripted.check = reset;
    for (let car = 0; car < 3; car++) await gate.decide(KNOWN, 'entry');
    const circuit = async () => {
      // A car asks for a probe; on a busy machine one may come too late.
      if (gate.status().circuit === 'open') await gate.decide(KNOWN, 'entry');
      return gate.status().circuit;
    };
    await expect.poll(circuit).toBe('trial');
    expect(await gate.decide(KNOWN, 'entry')).toMatchObject({ basis: 'list' });
    expect(gate.status().circuit).toBe('open');
  });

  it('probes by itself while no car comes', async () => {
    const gate = scripted.gate({ probeEveryMs: 100, inBackground: true });
    await expect.poll(() => gate.status().list).not.toBeNull();
    scripted.check = reset;
    for (let car = 0; car < 3; car++) await gate.decide(KNOWN, 'entry');
    scripted.list = [listed(await listOfNow({ mode: 'delta' }))];
    await expect.poll(() => gate.status().circuit).toBe('trial');
    scripted.check = decision(true);
    await expect.poll(async () => (await gate.decide(KNOWN, 'entry')).basis).toBe('service');
    await gate.close();
  });

  it('goes back to the service although its store never answers', async () => {
    const store = { load: () => new Promise<null>(() => {}), save: async () => {} };
    const gate = scripted.gate({ store, probeEveryMs: 50 });
    scripted.check = reset;
    for (let car = 0; car < 3; car++) await gate.decide(KNOWN, 'entry');
    expect(gate.status().circuit).toBe('open');
    scripted.check = decision(true);
    await expect.poll(async () => (await gate.decide(KNOWN, 'entry')).basis).toBe('service');
  });

  it('does not take refusals for an outage: they keep nobody waiting', async () => {
    const gate = scripted.gate({ askWithinMs: 10_000 });
    scripted.check = error(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '1' });
    for (let car = 0; car < 5; car++) await gate.decide(KNOWN, 'entry');
    expect([gate.status().circuit, scripted.checks]).toEqual(['closed', 5]);
  });

  it('asks nobody about a plate that no camera can have read', async () => {
    const gate = scripted.gate();
    expect(await gate.decide('—', 'entry')).toMatchObject({
      action: 'ask_attendant',
      basis: 'policy',
      reasonCode: 'UNKNOWN_INVALID_PLATE',
    });
    expect(scripted.checks).toBe(0);
  });
});

it('A probe that goes out is the only one of its interval', () => {
  const settings = { failuresToOpen: 3, probeEveryMs: 5_000 };
  const open = { state: 'open', probeAt: 5_000 } as const;
  expect(probing(open, 5_100, settings)).toEqual({ state: 'open', probeAt: 10_100 });
});
