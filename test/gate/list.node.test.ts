import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Caller } from '../../clients/client/caller.ts';
import { GateClock } from '../../clients/client/gate/gate-clock.ts';
import { memoryStore } from '../../clients/client/gate/index.ts';
import { ListKeeper } from '../../clients/client/gate/list-keeper.ts';
import { plateHashOf } from '../../clients/client/gate/plate-hash.ts';
import { StoreGuard } from '../../clients/client/gate/store-guard.ts';
import type { FailureKind, ListChange } from '../../clients/client/index.ts';
import { error, reset } from '../client/scripted-service.ts';
import { HEADER, HOUR, iso, MINUTE, page, session } from './list-lines.ts';
import { hashed, KNOWN, listed, listOfNow, ScriptedGate, STRANGER, TOKEN } from './scripted-gate.ts';

let scripted: ScriptedGate;
beforeEach(async () => {
  scripted = await ScriptedGate.start();
});
afterEach(() => scripted.service.stop());

describe('After a refresh that failed', () => {
  it.each([
    ['the service asks for a minute', error(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '60' }), 60_000],
    ['it asks for a day', error(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '86400' }), 600_000],
    ['it asks for nothing', error(429, 'RATE_LIMIT_EXCEEDED'), 500],
  ])('the next one waits where %s', async (_, reply, leastMs) => {
    scripted.list = [reply, listed(await listOfNow())];
    const keeper = new ListKeeper(
      new Caller({ baseUrl: scripted.service.address, token: TOKEN }),
      { areaCode: HEADER.area_code, municipalityCode: null },
      (await plateHashOf(TOKEN)).keyId,
      new StoreGuard(memoryStore(), HOUR, () => {}),
      new GateClock(Date.now, () => {}),
      () => {},
    );
    expect(await keeper.refresh()).toBe(false);
    expect(keeper.pauseMs(0)).toBe(leastMs);
    // Gates that were refused together must not come back together.
    expect(keeper.pauseMs(1)).toBeGreaterThan(leastMs);
    expect(keeper.pauseMs(1)).toBeLessThanOrEqual(leastMs * 1.2);
    expect(await keeper.refresh()).toBe(true);
    expect(keeper.pauseMs(0)).toBe(54_000);
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

  it('is taken without an entry that cannot be read, which it reports; and so is a delta', async () => {
    const gate = scripted.gate();
    const { header, changes } = await listOfNow();
    const bad = (id: string) =>
      ({ ...session(id, 'x', 0, 0), until: '+010000-01-02T00:00:00Z' }) as ListChange;
    scripted.list = [listed(page([bad('a'), ...changes], header))];
    expect(await gate.refresh()).toBe(true);
    scripted.list = [listed(page([bad('b')], { ...header, mode: 'delta' }, { cursor: 'cursor-2' }))];
    expect(await gate.refresh()).toBe(true);
    expect(gate.status().list?.entries).toBe(1);
    expect(scripted.eventsOf('list_refreshed').map(({ unreadable }) => unreadable)).toEqual([1, 1]);
    scripted.check = reset;
    expect(await gate.decide(KNOWN, 'entry')).toMatchObject({ action: 'open', basis: 'list' });
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

  it('is kept true by a delta while the full one is due and does not come through', async () => {
    const gate = scripted.gate();
    scripted.list = [listed(await listOfNow({ full_after_seconds: 0 }))];
    await gate.refresh();
    const stranger = session('new', await hashed('ZZ999ZZ'), Date.now() - HOUR, Date.now() + HOUR);
    const changed = { ...(await listOfNow({ full_after_seconds: 0 })).header, mode: 'delta' as const };
    scripted.list = [
      listed(await listOfNow({}, { cursor: 'half', more: true })),
      // Of another instant: of another list.
      listed(await listOfNow({ as_of: iso(Date.now() + 1) })),
      listed(page([stranger], changed, { cursor: 'cursor-2' })),
    ];
    expect(await gate.refresh()).toBe(true);
    expect(scripted.eventsOf('list_failed')).toHaveLength(1);
    scripted.check = reset;
    expect(await gate.decide(STRANGER, 'entry')).toMatchObject({ action: 'open', basis: 'list' });
    scripted.list = [listed(await listOfNow())];
    expect(await gate.refresh()).toBe(true);
    expect(scripted.cursors).toEqual([null, null, 'half', 'cursor-1', null]);
  });

  it('is tried whole alone while the full one is due and refused, or a delta is none from here', async () => {
    const gate = scripted.gate();
    scripted.list = [listed(await listOfNow({ full_after_seconds: 0 }))];
    await gate.refresh();
    scripted.list = [error(403, 'SERVICE_DISABLED')];
    expect(await gate.refresh()).toBe(false);
    const otherwise = listed(await listOfNow({ area_code: 'P9' }));
    scripted.list = [otherwise, error(410, 'CURSOR_GONE'), otherwise];
    expect([await gate.refresh(), await gate.refresh()]).toEqual([false, false]);
    expect(scripted.cursors).toEqual([null, null, null, 'cursor-1', null]);
  });

  it('stays as it was when a refresh is cut off midway', async () => {
    const gate = scripted.gate();
    await gate.refresh();
    const before = gate.status().list;
    const header = { ...(await listOfNow()).header, mode: 'delta' as const };
    const half = page([{ type: 'removed' as const, id: 'known' }], header, { more: true, cursor: 'half' });
    scripted.list = [listed(half), error(403, 'SERVICE_DISABLED')];
    expect(await gate.refresh()).toBe(false);
    expect(gate.status().list).toEqual(before);
    scripted.check = reset;
    expect(await gate.decide(KNOWN, 'entry')).toMatchObject({ action: 'open', basis: 'list' });
  });

  it.each<[string, object, FailureKind]>([
    ['another area', { area_code: 'P9' }, 'unavailable'],
    ['another municipality', { municipality_code: 'L219' }, 'unavailable'],
    ['another kind', { mode: 'full' }, 'unavailable'],
    ['another token', { plate_hash: { ...HEADER.plate_hash, key_id: '00000000' } }, 'misconfigured'],
  ])('takes no delta of %s', async (_, header, failure) => {
    const gate = scripted.gate();
    await gate.refresh();
    const before = gate.status().list;
    scripted.list = [listed(await listOfNow({ mode: 'delta', ...header })), listed(await listOfNow())];
    expect(await gate.refresh()).toBe(false);
    expect(gate.status().list).toEqual(before);
    expect(scripted.eventsOf('list_failed').map((event) => event.failure.failure)).toEqual([failure]);
    expect(await gate.refresh()).toBe(failure === 'misconfigured');
    // No delta leads to the list of another token.
    expect(scripted.cursors).toEqual([null, 'cursor-1', failure === 'misconfigured' ? null : 'cursor-1']);
  });

  it('counts for nothing once its time is over', async () => {
    const gate = scripted.gate();
    scripted.list = [listed(await listOfNow({ valid_until: iso(Date.now() + 400) }))];
    await gate.refresh();
    scripted.check = reset;
    await expect
      .poll(async () => (await gate.decide(KNOWN, 'entry')).reasonCode)
      .toBe('UNKNOWN_LIST_EXPIRED');
    expect(await gate.decide(KNOWN, 'entry')).toMatchObject({ action: 'ask_attendant', basis: 'policy' });
  });

  it.each([-2 * HOUR, 31_000])(
    'is judged by the service’s time when the gate’s clock is %i ms off, and the gate says so',
    async (offMs) => {
      const gate = scripted.gate({ wallClock: () => Date.now() + offMs });
      const now = Date.now();
      const first = session('running', await hashed('AB123CD'), now - MINUTE, now + 20_000);
      scripted.list = [listed(page([first], { as_of: iso(now), valid_until: iso(now + 20_000) }))];
      await gate.refresh();
      const [event] = scripted.eventsOf('clock_differs');
      expect(Math.abs((event?.aheadMs ?? 0) - offMs)).toBeLessThan(2_000);
      scripted.check = reset;
      expect(await gate.decide(KNOWN, 'entry')).toMatchObject({ action: 'open', basis: 'list' });
    },
  );

  it('says nothing of a clock that is a little off', async () => {
    const gate = scripted.gate({ wallClock: () => Date.now() + 20_000 });
    await gate.refresh();
    expect(scripted.eventsOf('clock_differs')).toEqual([]);
  });

  it('outlives the process', async () => {
    const store = memoryStore();
    await scripted.gate({ store }).refresh();
    scripted.check = reset;
    scripted.list = [reset];
    const next = scripted.gate({ store });
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
