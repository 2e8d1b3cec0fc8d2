import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGate, memoryStore } from '../../clients/client/gate/index.ts';
import { error, hang, reset } from '../client/scripted-service.ts';
import { HOUR } from './list-lines.ts';
import { decision, KNOWN, listed, listOfNow, ScriptedGate, TOKEN } from './scripted-gate.ts';

let scripted: ScriptedGate;
beforeEach(async () => {
  scripted = await ScriptedGate.start();
});
afterEach(async () => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  await scripted.service.stop();
});

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

describe('A gate', () => {
  it('is not made without a word on what to do when nobody knows', () => {
    // @ts-expect-error There is no default.
    expect(() => scripted.gate({ whenUnknown: undefined })).toThrow(TypeError);
  });

  it('is not made where there is no WebCrypto, as on a page over plain HTTP', () => {
    vi.stubGlobal('crypto', { getRandomValues: () => {} });
    expect(() => scripted.gate()).toThrow('WebCrypto');
    vi.stubGlobal('crypto', undefined);
    expect(() => scripted.gate()).toThrow('WebCrypto');
  });

  it('decides by the service or by policy, and tells why, when the runtime’s cryptography fails', async () => {
    const subtle = { digest: () => Promise.reject(new Error('not here')) };
    vi.stubGlobal('crypto', { subtle });
    const gate = scripted.gate({ askWithinMs: 10_000 });
    expect(await gate.decide(KNOWN, 'entry')).toMatchObject({ action: 'open', basis: 'service' });
    scripted.check = reset;
    const second = scripted.gate({ inBackground: true });
    expect(await second.decide(KNOWN, 'entry')).toMatchObject({
      action: 'ask_attendant',
      basis: 'policy',
      reasonCode: 'UNKNOWN_NO_LIST',
    });
    expect(await second.refresh()).toBe(false);
    expect(scripted.eventsOf('list_failed').at(-1)?.failure).toMatchObject({ code: 'NO_CRYPTOGRAPHY' });
    await second.close();
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
    await expect.poll(() => scripted.cursors).toHaveLength(1);
    await gate.close();
    expect(scripted.events).toEqual([]);
  });
});

describe('A gate that is started', () => {
  it('is ready once it has a list, and says false when it is closed before', async () => {
    scripted.list = [reset];
    const gate = scripted.gate({ inBackground: true });
    const early = gate.ready();
    scripted.list = [listed(await listOfNow())];
    expect(await early).toBe(true);
    await gate.close();
    expect(await gate.ready()).toBe(false);

    scripted.list = [hang];
    const closed = scripted.gate({ inBackground: true });
    const never = closed.ready();
    await closed.close();
    expect(await never).toBe(false);
  });

  it('is ready by the service alone, where the facility has no list', async () => {
    scripted.list = [error(403, 'SERVICE_DISABLED')];
    expect(await scripted.gate().ready()).toBe(true);
  });

  it('is ready by an answer to a driver, while the list cannot be had; and no longer once the service fails', async () => {
    scripted.list = [error(403, 'SCOPE_NOT_ALLOWED')];
    const gate = scripted.gate({ askWithinMs: 10_000 });
    const ready = gate.ready();
    await gate.decide(KNOWN, 'entry');
    expect(await ready).toBe(true);
    // Not one that is tried again.
    scripted.check = error(401, 'TOKEN_REVOKED');
    await gate.decide(KNOWN, 'entry');
    const again = gate.ready();
    await gate.close();
    expect(await again).toBe(false);
  });

  it.each(['TOKEN_INVALID', 'TOKEN_REVOKED', 'TOKEN_EXPIRED'])(
    'is not ready, at once, where the service answers %s; the status says why until the list comes',
    async (code) => {
      const { list } = scripted;
      scripted.list = [error(401, code)];
      const gate = scripted.gate();
      expect(await gate.ready()).toBe(false);
      expect(gate.status().listFailure).toMatchObject({ failure: 'misconfigured', code });
      scripted.list = list;
      expect(await gate.ready()).toBe(true);
      expect(gate.status().listFailure).toBeNull();
    },
  );

  it('is not ready once its time is over; while the service is only away, it calls that no missing list', async () => {
    scripted.list = [error(500, 'TEMPORARY_ERROR')];
    const gate = scripted.gate({ inBackground: true });
    expect(await gate.ready({ withinMs: 100 })).toBe(false);
    await gate.close();
    expect(scripted.eventsOf('no_list')).toEqual([]);
  });

  it('is ready under a wrong token too, while the list of an earlier run counts', async () => {
    const store = memoryStore();
    await scripted.gate({ store }).refresh();
    scripted.list = [error(401, 'TOKEN_REVOKED')];
    const gate = scripted.gate({ store });
    await gate.refresh();
    expect(await gate.ready()).toBe(true);
    expect(gate.status().listFailure?.code).toBe('TOKEN_REVOKED');
    expect(scripted.eventsOf('no_list')).toEqual([]);
  });

  it('tells of each failure, not of the first alone, and what it was at', async () => {
    const failures: string[] = [];
    const gate = scripted.gate({
      askWithinMs: 10_000,
      onFailure: ({ code }, during) => failures.push(`${during} ${code}`),
    });
    scripted.check = error(422, 'AREA_CODE_REQUIRED');
    scripted.list = [error(410, 'SOURCE_NOT_FOUND')];
    for (let cars = 0; cars < 3; cars++) await gate.decide(KNOWN, 'entry');
    for (let times = 0; times < 2; times++) await gate.refresh();
    expect(failures).toEqual([
      ...Array(3).fill('check AREA_CODE_REQUIRED'),
      ...Array(2).fill('list SOURCE_NOT_FOUND'),
    ]);
  });
});

describe('A gate that gets no list', () => {
  it('says so at once, and once', async () => {
    const code = 'SCOPE_NOT_ALLOWED';
    scripted.list = [error(403, code)];
    const gate = scripted.gate();
    await gate.refresh();
    await gate.refresh();
    expect(scripted.eventsOf('no_list')).toEqual([
      { type: 'no_list', code, message: expect.stringContaining('entitlement_list') },
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
});

it('A wrong clock is reported once, again when it is set wrong in another way, and when it is set right', async () => {
  let offMs = 2 * HOUR;
  const gate = scripted.gate({ wallClock: () => Date.now() + offMs });
  for (offMs of [2 * HOUR, 2 * HOUR, -HOUR, -HOUR, 0]) await gate.refresh();
  const reported = scripted.events.filter(({ type }) => type.startsWith('clock_'));
  expect(reported).toEqual([
    { type: 'clock_differs', aheadMs: expect.closeTo(2 * HOUR, -4) },
    { type: 'clock_differs', aheadMs: expect.closeTo(-HOUR, -4) },
    { type: 'clock_agrees' },
  ]);
});
