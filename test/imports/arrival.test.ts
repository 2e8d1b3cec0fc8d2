import { describe, expect, it } from 'vitest';
import { Deadline, TimeoutError } from '../../src/base/platform/deadline.ts';
import { Slot, WaitingLine } from '../../src/base/platform/turns.ts';
import { mayArrive } from '../../src/intake/imports/run-in-turn.ts';

/** `a1`: a first credential of a tenant. */
const sender = (name: string) => ({ credentialId: name, tenantId: name.charCodeAt(0) });

describe('Of the bodies that arrive,', () => {
  it.each([
    ['the first has a slot', 'a1', [], true],
    ['a second one of a credential has none', 'a1', ['a1'], false],
    ['a second one of a tenant has a slot', 'a2', ['a1'], true],
    ['a third one of a tenant has none', 'a3', ['a1', 'a2'], false],
    ['a third one has a slot', 'b1', ['a1', 'a2'], true],
    ['the fourth has one where its tenant has none', 'c1', ['a1', 'a2', 'b1'], true],
    ['the fourth has none where its tenant has one', 'b2', ['a1', 'a2', 'b1'], false],
    ['a fifth has none, whoever sends it', 'e1', ['a1', 'b1', 'c1', 'd1'], false],
  ] as const)('%s', (_, body, arriving, may) => {
    expect(mayArrive(sender(body), arriving.map(sender))).toBe(may);
  });
});

describe('A slot', () => {
  it('is waited for no longer than it may be', async () => {
    const line = new WaitingLine<Slot>((_, holders) => holders.length === 0, 10_000);
    const [first, second] = ['a1', 'b1'].map((name) => new Slot(line, sender(name), new Deadline(60_000)));
    await first?.hold();
    await expect(second?.hold(undefined, 1)).rejects.toThrow(TimeoutError);
    first?.leave();
    await second?.hold(undefined, 1);
  });
});
