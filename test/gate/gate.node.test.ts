import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hang, reset } from '../client/scripted-service.ts';
import { decision, KNOWN, PATIENTLY, ScriptedGate } from './scripted-gate.ts';

let scripted: ScriptedGate;
beforeEach(async () => {
  scripted = await ScriptedGate.start();
});
afterEach(async () => {
  vi.unstubAllGlobals();
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
    await expect.poll(() => scripted.cursors, PATIENTLY).toHaveLength(1);
    await gate.close();
    expect(scripted.events).toEqual([]);
  });
});
