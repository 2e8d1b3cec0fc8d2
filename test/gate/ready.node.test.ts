import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGate } from '../../clients/client/gate/index.ts';
import { memoryStore } from '../../clients/client/gate/store.ts';
import { error } from '../client/scripted-service.ts';
import { HOUR } from './list-lines.ts';
import { listed, listOfNow, ScriptedGate, TOKEN } from './scripted-gate.ts';

let scripted: ScriptedGate;
beforeEach(async () => {
  scripted = await ScriptedGate.start();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await scripted.service.stop();
});

describe('Waiting for a gate to be ready', () => {
  it.each(['TOKEN_INVALID', 'TOKEN_REVOKED', 'TOKEN_EXPIRED'])(
    'ends at once with false where the service answers %s, and the status says why',
    async (code) => {
      scripted.list = [error(401, code)];
      const gate = scripted.gate({ inBackground: true });
      expect(await gate.ready()).toBe(false);
      expect(gate.status().listFailure).toMatchObject({ failure: 'misconfigured', code });
      await gate.close();
    },
  );

  it('ends with false once its time is over, and the status says why', async () => {
    scripted.list = [error(429, 'RATE_LIMIT_EXCEEDED')];
    const gate = scripted.gate({ inBackground: true });
    expect(await gate.ready({ withinMs: 300 })).toBe(false);
    expect(gate.status().listFailure).toMatchObject({ failure: 'limited', code: 'RATE_LIMIT_EXCEEDED' });
    await gate.close();
  });

  it('ends with true under a wrong token too, while the list of an earlier run counts', async () => {
    const store = memoryStore();
    await scripted.gate({ store }).refresh();
    scripted.list = [error(401, 'TOKEN_REVOKED')];
    const gate = scripted.gate({ store });
    await gate.refresh();
    expect(await gate.ready()).toBe(true);
    expect(gate.status().listFailure?.code).toBe('TOKEN_REVOKED');
    expect(scripted.eventsOf('no_list')).toEqual([]);
  });

  it('leaves no reason behind once the list has come', async () => {
    const list = scripted.list;
    scripted.list = [error(401, 'TOKEN_INVALID')];
    const gate = scripted.gate();
    expect(await gate.ready()).toBe(false);
    scripted.list = list;
    expect(await gate.ready()).toBe(true);
    expect(gate.status().listFailure).toBeNull();
  });
});

describe('A gate that gets no list', () => {
  it.each([
    ['SCOPE_NOT_ALLOWED', 'entitlement_list'],
    ['AREA_FORBIDDEN', 'is bound to other areas'],
    ['SERVICE_DISABLED', 'gives this facility none'],
    ['TOKEN_EXPIRED', 'a credential that is in force'],
    ['TENANT_DISABLED', 'The office that issued its credential'],
  ])('says so at once, and once: %s', async (code, words) => {
    scripted.list = [error(403, code)];
    const gate = scripted.gate();
    await gate.refresh();
    await gate.refresh();
    expect(scripted.eventsOf('no_list')).toEqual([
      { type: 'no_list', code, message: expect.stringContaining(words) },
    ]);
    scripted.list = [listed(await listOfNow())];
    await gate.refresh();
    expect(gate.status()).toMatchObject({ list: { entries: 1 }, listFailure: null });
  });

  it('says so on the console where nothing else listens', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
    scripted.list = [error(403, 'SCOPE_NOT_ALLOWED')];
    await scripted.gate().refresh();
    expect(warned).not.toHaveBeenCalled();
    const { address: baseUrl } = scripted.service;
    const silent = { areaCode: 'P1', whenUnknown: 'ask_attendant', inBackground: false } as const;
    await createGate({ baseUrl, token: TOKEN, ...silent }).refresh();
    expect(warned).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('entitlement_list'));
  });

  it('says nothing of that while the service is only away', async () => {
    scripted.list = [error(500, 'TEMPORARY_ERROR')];
    const gate = scripted.gate({ inBackground: true });
    await gate.ready({ withinMs: 50 });
    await gate.close();
    expect(scripted.eventsOf('no_list')).toEqual([]);
  });
});

describe('A clock that was set between two runs', () => {
  it('is reported as it is now, and not by what the run before had stored', async () => {
    const store = memoryStore();
    await scripted.gate({ store, wallClock: () => Date.now() + 2 * HOUR }).refresh();
    scripted.events.length = 0;
    // Set right.
    await scripted.gate({ store }).refresh();
    expect(scripted.events.filter(({ type }) => type.startsWith('clock_'))).toEqual([]);

    await scripted.gate({ store, wallClock: () => Date.now() + 2 * HOUR }).refresh();
    scripted.events.length = 0;
    // Set wrong in another way.
    await scripted.gate({ store, wallClock: () => Date.now() - HOUR }).refresh();
    const reported = scripted.eventsOf('clock_differs').map(({ aheadMs }) => Math.round(aheadMs / HOUR));
    expect(reported).toEqual([-1]);
  });

  it('is reported again when it is set wrong in another way during a run', async () => {
    let offMs = 2 * HOUR;
    const gate = scripted.gate({ wallClock: () => Date.now() + offMs });
    await gate.refresh();
    offMs = -HOUR;
    await gate.refresh();
    await gate.refresh();
    const reported = scripted.eventsOf('clock_differs').map(({ aheadMs }) => Math.round(aheadMs / HOUR));
    expect(reported).toEqual([2, -1]);
  });
});
