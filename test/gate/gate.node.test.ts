import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../../clients/client/gate/index.ts';
import { cutShort, error, hang, html, json, type Reply, reset } from '../client/scripted-service.ts';
import { HOUR, iso, MINUTE, page, session } from './list-lines.ts';
import { decision, hashed, listed, ScriptedGate, TOKEN } from './scripted-gate.ts';

/** On the list, with a session that runs now. */
const KNOWN = 'AB 123 CD';
const STRANGER = 'ZZ 999 ZZ';

/** A busy machine is no failure. */
const PATIENTLY = { timeout: 10_000 };

let scripted: ScriptedGate;
beforeEach(async () => {
  scripted = await ScriptedGate.start();
  scripted.list = [listed(await listOfNow())];
});
afterEach(() => scripted.service.stop());

/** A list of this very moment, with one car on it. */
async function listOfNow(header: object = {}, rest: object = {}) {
  const now = Date.now();
  return page(
    [session('known', await hashed('AB123CD'), now - HOUR, now + HOUR)],
    { as_of: iso(now), valid_until: iso(now + 12 * HOUR), ...header },
    rest,
  );
}

describe('A gate with a service that answers', () => {
  it('does as the service says', async () => {
    const gate = scripted.gate({ askWithinMs: 10_000 });
    scripted.check = decision(true);
    expect(await gate.decide(KNOWN, 'entry')).toMatchObject({
      action: 'open',
      basis: 'service',
      reasonCode: 'VALID_PREPAID_FACILITY_SESSION',
      requestId: expect.any(String),
      listAsOf: null,
      tookMs: expect.any(Number),
    });
    scripted.check = decision(false);
    await gate.refresh();
    expect(await gate.decide(KNOWN, 'entry')).toMatchObject({
      action: 'stay_shut',
      basis: 'service',
      reasonCode: 'SESSION_EXPIRED',
    });
  });
});

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
    await expect.poll(() => scripted.probes, PATIENTLY).toBeGreaterThan(0);
    expect([scripted.checks, gate.status().circuit]).toEqual([asked, 'open']);

    scripted.check = decision(false);
    scripted.list = [listed(await listOfNow({ mode: 'delta' }))];
    await expect.poll(async () => (await gate.decide(KNOWN, 'entry')).basis, PATIENTLY).toBe('service');
    const states = scripted.eventsOf('circuit').map(({ state }) => state);
    expect([states[0], states[1], states.at(-1)]).toEqual(['open', 'trial', 'closed']);
  });

  it('opens the circuit again with the first failure of a trial', async () => {
    const gate = scripted.gate({ probeEveryMs: 50 });
    await gate.refresh();
    scripted.check = reset;
    for (let car = 0; car < 3; car++) await gate.decide(KNOWN, 'entry');
    await wait(60);
    await gate.decide(KNOWN, 'entry');
    await expect.poll(() => gate.status().circuit, PATIENTLY).toBe('trial');
    expect(await gate.decide(KNOWN, 'entry')).toMatchObject({ basis: 'list' });
    expect(gate.status().circuit).toBe('open');
  });

  it('probes by itself while no car comes', async () => {
    const gate = scripted.gate({ probeEveryMs: 100, inBackground: true });
    await expect.poll(() => gate.status().list, PATIENTLY).not.toBeNull();
    scripted.check = reset;
    for (let car = 0; car < 3; car++) await gate.decide(KNOWN, 'entry');
    scripted.list = [listed(await listOfNow({ mode: 'delta' }))];
    await expect.poll(() => gate.status().circuit, PATIENTLY).toBe('trial');
    scripted.check = decision(true);
    await expect.poll(async () => (await gate.decide(KNOWN, 'entry')).basis, PATIENTLY).toBe('service');
    await gate.close();
  });

  it('goes back to the service although its store never answers', async () => {
    const store = { load: () => new Promise<null>(() => {}), save: async () => {} };
    const gate = scripted.gate({ store, probeEveryMs: 50 });
    scripted.check = reset;
    for (let car = 0; car < 3; car++) await gate.decide(KNOWN, 'entry');
    expect(gate.status().circuit).toBe('open');
    scripted.check = decision(true);
    await expect.poll(async () => (await gate.decide(KNOWN, 'entry')).basis, PATIENTLY).toBe('service');
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

describe('The list of a gate', () => {
  it('is brought up to date from its cursor', async () => {
    const gate = scripted.gate();
    await gate.refresh();
    const stranger = session('new', await hashed('ZZ999ZZ'), Date.now() - HOUR, Date.now() + HOUR);
    scripted.list = [
      listed(page([stranger], { ...(await listOfNow()).header, mode: 'delta' }, { cursor: 'cursor-2' })),
    ];
    await gate.refresh();
    scripted.check = reset;
    expect(await gate.decide(STRANGER, 'entry')).toMatchObject({ action: 'open', basis: 'list' });
    await gate.refresh();
    expect(scripted.cursors).toEqual([null, 'cursor-1', 'cursor-2']);
  });

  it('is taken whole when the cursor is gone, and when it is due', async () => {
    const gate = scripted.gate();
    scripted.list = [listed(await listOfNow())];
    await gate.refresh();
    scripted.list = [error(410, 'CURSOR_GONE'), listed(await listOfNow({ full_after_seconds: 0 }))];
    expect(await gate.refresh()).toBe(true);
    await gate.refresh();
    expect(scripted.cursors).toEqual([null, 'cursor-1', null, null]);
  });

  it('is taken whole at the next time when the cursor is gone and the full list fails', async () => {
    const gate = scripted.gate();
    await gate.refresh();
    scripted.list = [error(410, 'CURSOR_GONE'), error(403, 'SERVICE_DISABLED'), listed(await listOfNow())];
    expect([await gate.refresh(), await gate.refresh()]).toEqual([false, true]);
    expect(scripted.cursors).toEqual([null, 'cursor-1', null, null]);
  });

  it('stays as it was when a refresh is cut off midway', async () => {
    const gate = scripted.gate();
    await gate.refresh();
    const before = gate.status().list;
    const header = { ...(await listOfNow()).header, mode: 'delta' as const };
    const gone = [{ type: 'removed' as const, id: 'known' }];
    scripted.list = [
      listed(page(gone, header, { more: true, cursor: 'half' })),
      error(403, 'SERVICE_DISABLED'),
    ];
    expect(await gate.refresh()).toBe(false);
    // The second page has another instant: it is of another list.
    scripted.list = [
      listed(page(gone, header, { more: true, cursor: 'half' })),
      listed(page([], { ...header, as_of: iso(Date.now() + 1) })),
    ];
    expect(await gate.refresh()).toBe(false);
    expect(gate.status().list).toEqual(before);
    scripted.check = reset;
    expect(await gate.decide(KNOWN, 'entry')).toMatchObject({ action: 'open', basis: 'list' });
    expect(scripted.eventsOf('list_failed')).toHaveLength(2);
  });

  it('is no list of this gate when it is made for another token', async () => {
    const gate = scripted.gate({ token: 'another' });
    expect(await gate.refresh()).toBe(false);
    expect(scripted.eventsOf('list_failed')[0]?.failure.failure).toBe('misconfigured');
  });

  it('counts for nothing once its time is over', async () => {
    const gate = scripted.gate();
    scripted.list = [listed(await listOfNow({ valid_until: iso(Date.now() + 400) }))];
    await gate.refresh();
    scripted.check = reset;
    await expect
      .poll(async () => (await gate.decide(KNOWN, 'entry')).reasonCode, PATIENTLY)
      .toBe('UNKNOWN_LIST_EXPIRED');
    expect(await gate.decide(KNOWN, 'entry')).toMatchObject({ action: 'ask_attendant', basis: 'policy' });
  });

  it.each([-2 * HOUR, -31_000, 31_000, 2 * HOUR])(
    'is judged by the service’s time when the gate’s clock is %i ms off, which is told',
    async (offMs) => {
      const gate = scripted.gate({ wallClock: () => Date.now() + offMs });
      const now = Date.now();
      const first = session('running', await hashed('AB123CD'), now - MINUTE, now + 20_000);
      scripted.list = [listed(page([first], { as_of: iso(now), valid_until: iso(now + 20_000) }))];
      await gate.refresh();
      const [told] = scripted.eventsOf('clock_differs');
      expect(Math.abs((told?.aheadMs ?? 0) - offMs)).toBeLessThan(2_000);
      scripted.check = reset;
      expect(await gate.decide(KNOWN, 'entry')).toMatchObject({ action: 'open', basis: 'list' });
    },
  );

  it('says nothing of a clock that is a little off', async () => {
    const gate = scripted.gate({ wallClock: () => Date.now() + 20_000 });
    await gate.refresh();
    expect(scripted.eventsOf('clock_differs')).toEqual([]);
  });

  it('outlives the process, with the difference of the clocks', async () => {
    const store = memoryStore();
    const wallClock = () => Date.now() + 2 * HOUR;
    await scripted.gate({ store, wallClock }).refresh();
    scripted.check = reset;
    scripted.list = [reset];
    const next = scripted.gate({ store, wallClock });
    expect(await next.decide(KNOWN, 'entry')).toMatchObject({ action: 'open', basis: 'list' });
    expect(scripted.eventsOf('list_loaded')).toHaveLength(1);
  });

  it('of an earlier run is not used by another gate', async () => {
    const store = memoryStore();
    await scripted.gate({ store }).refresh();
    scripted.check = reset;
    for (const [settings, reason] of [
      [{ token: 'another' }, 'another_key'],
      [{ areaCode: 'P2' }, 'another_list'],
      [{ municipalityCode: 'L219' }, 'another_list'],
    ] as const) {
      const other = scripted.gate({ store, ...settings });
      expect(await other.decide(KNOWN, 'entry')).toMatchObject({ reasonCode: 'UNKNOWN_NO_LIST' });
      expect(scripted.eventsOf('stored_list_ignored').at(-1)?.reason).toBe(reason);
    }
  });

  it('is stored without the token, and without a plate', async () => {
    let text = '';
    const store = {
      load: async () => null,
      save: async (pieces: AsyncIterable<string>) => {
        for await (const piece of pieces) text += piece;
      },
    };
    const gate = scripted.gate({ store });
    await gate.refresh();
    expect(text).toContain('"end"');
    expect(text + JSON.stringify(scripted.events)).not.toContain(TOKEN);
    expect(text + JSON.stringify(scripted.events)).not.toContain('AB123CD');
  });

  it('is held all the same when it cannot be stored', async () => {
    const broken = async () => {
      throw new Error('the disk is full');
    };
    const gate = scripted.gate({ store: { load: broken, save: broken } });
    expect(await gate.refresh()).toBe(true);
    expect(scripted.eventsOf('store_failed').map(({ message }) => message)).toEqual([
      'the disk is full',
      'the disk is full',
    ]);
  });
});

describe('A gate', () => {
  it('is not made without a word on what to do when nobody knows', () => {
    // @ts-expect-error There is no default.
    expect(() => scripted.gate({ whenUnknown: undefined })).toThrow(TypeError);
  });

  it('goes on when whoever listens to it fails', async () => {
    const gate = scripted.gate({
      onEvent: () => {
        throw new Error('no');
      },
    });
    expect(await gate.refresh()).toBe(true);
  });

  it('ends quietly, in the middle of a refresh too', async () => {
    scripted.list = [hang];
    const gate = scripted.gate({ inBackground: true });
    await expect.poll(() => scripted.cursors, PATIENTLY).toHaveLength(1);
    await gate.close();
    expect(scripted.events).toEqual([]);
  });
});
