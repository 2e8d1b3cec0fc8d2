import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hang } from '../client/scripted-service.ts';
import { decision, KNOWN, PATIENTLY, ScriptedGate } from './scripted-gate.ts';

let scripted: ScriptedGate;
beforeEach(async () => {
  scripted = await ScriptedGate.start();
});
afterEach(() => scripted.service.stop());

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
