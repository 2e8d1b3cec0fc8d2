import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { at, NOW, session, subscription } from './lines.ts';
import { askList, LIST, listingCity, standing } from './support.ts';

const { city, configure, importSessions, importSubscriptions, take, holder, freshHolder, erase } =
  listingCity();

describe('A full list', () => {
  it('begins with the facility as it stands, and ends with a cursor', async () => {
    const { header, lines, end } = await take();
    expect(header).toEqual({
      type: 'list',
      version: 1,
      mode: 'full',
      municipality_code: 'H501',
      area_code: 'P1',
      as_of: expect.any(String),
      valid_until: expect.any(String),
      refresh_after_seconds: 60,
      full_after_seconds: 86_400,
      plate_hash: { algorithm: 'HMAC-SHA-256', bits: 96, key_id: expect.stringMatching(/^[0-9a-f]{8}$/) },
      facility: {
        service_enabled: true,
        plate_control_enabled: true,
        subscription_access: true,
        entry_grace_minutes: 10,
        exit_grace_minutes: 15,
      },
    });
    expect(Date.parse(header.valid_until) - Date.parse(header.as_of)).toBe(720 * 60_000);
    expect(lines).toEqual([]);
    expect(end).toEqual({ type: 'end', cursor: expect.any(String), more: false, lines: 0 });
  });

  it('has the sessions of the facility and the subscriptions that are valid there', async () => {
    await importSessions(
      session('here'),
      session('elsewhere', { area_code: 'P2' }),
      session('open', { ends_at: null, plate: 'OPEN1' }),
      session('cancelled', { cancelled_at: at(-0.5 * HOUR_MS) }),
      session('cancelled soon', { cancelled_at: at(0.5 * HOUR_MS), plate: 'SOON1' }),
      session('long past', { starts_at: at(-30 * HOUR_MS), ends_at: at(-25 * HOUR_MS) }),
      session('far ahead', { starts_at: at(9_000 * HOUR_MS), ends_at: at(9_001 * HOUR_MS), plate: 'AHEAD1' }),
    );
    await importSubscriptions(
      subscription('everywhere', { plates: [{ plate: 'SUB1' }, { plate: 'SUB2' }] }),
      subscription('here', { areas: ['P1'], plates: [{ plate: 'SUB3' }] }),
      subscription('elsewhere', { areas: ['P2'] }),
      subscription('pending', { approval: 'pending' }),
      subscription('over', { periods: [{ starts_at: at(-2 * HOUR_MS), ends_at: at(-HOUR_MS) }] }),
      subscription('never paid', { periods: [] }),
    );
    const { header, lines } = await take();
    const entries = lines.filter((line) => line.type === 'entry');
    expect(entries).toHaveLength(7);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(7);
    expect(entries.filter(({ kind }) => kind === 'session')).toHaveLength(4);
    const valid = entries.filter((entry) => entry.kind === 'subscription').map((entry) => entry.valid);
    expect(valid.map((of) => of.map(({ until }) => Date.parse(until ?? '')))).toEqual([
      [NOW + 2 * HOUR_MS],
      [NOW + 2 * HOUR_MS],
      [NOW + 2 * HOUR_MS],
    ]);
    expect(valid.flat().every(({ from }) => from === header.as_of)).toBe(true);
    expect(entries.filter((entry) => 'cancelled_at' in entry)).toHaveLength(1);
  });

  it('comes in pages of the size that is asked for, all of one instant', async () => {
    const paged = holder(2);
    const instants = new Set<string>();
    let pages = 0;
    for (let more = true; more; pages++) {
      more = await paged.step();
      instants.add(paged.header?.as_of ?? '');
    }
    expect(pages).toBeGreaterThanOrEqual(4);
    expect(instants.size).toBe(1);
    expect(paged.entries.size).toBe(7);
    expect(paged.fullLists).toBe(1);
  });
});

describe('A delta', () => {
  it('tells what is new, what is different and what is no more, and nothing where nothing has changed', async () => {
    const { end } = await take();
    const nothing = await take({ cursor: end.cursor });
    expect(nothing).toMatchObject({ header: { mode: 'delta' }, lines: [], end: { more: false } });

    await importSessions(
      session('here', { ends_at: at(3 * HOUR_MS) }),
      session('elsewhere', { area_code: 'S1' }),
      session('open', { ends_at: null, plate: 'OPEN1', area_code: 'P2' }),
      session('new', { plate: 'NEW1' }),
      session('came and went', { cancelled_at: at(-0.1 * HOUR_MS) }),
    );
    const { header, lines } = await take({ cursor: nothing.end.cursor });
    expect(header.mode).toBe('delta');
    // Also of what came and went meanwhile: a holder ignores what it never had.
    expect(lines.map(({ type }) => type).sort()).toEqual(['entry', 'entry', 'removed', 'removed']);

    // The same cursor may be used again.
    const again = await take({ cursor: end.cursor });
    expect(again.lines).toEqual(lines);
  });

  it('keeps the id of a session whose plate was corrected', async () => {
    const before = await take();
    await importSessions(session('new', { plate: 'NEW2' }));
    const { lines } = await take({ cursor: before.end.cursor });
    const [line] = lines;
    expect(lines).toHaveLength(1);
    const known = before.lines.find(({ id }) => id === line?.id);
    expect(known).toMatchObject({ type: 'entry', kind: 'session' });
    expect(line).not.toEqual(known);
  });

  it('sends its holder to the full list where an erasure has taken the key from which an id is made', async () => {
    const plate = 'ERASED2';
    const others = standing(await freshHolder());
    await importSessions(session(`app/${plate}`, { plate }), session('stays', { plate: 'STAYS2' }));
    await importSubscriptions(subscription(plate, { plates: [{ plate }, { plate: 'STAYS2' }] }));
    const held = await freshHolder();
    await erase(plate);
    const before = new Map(held.entries);
    await held.refresh();
    expect(held.fullLists).toBe(2);
    expect(standing(held)).toEqual(standing(await freshHolder()));
    expect(held.entries.size).toBe(Object.keys(others).length + 2);
    // Those of the other plate are as they were.
    expect([...held.entries.keys()].filter((id) => !(id in others) && before.has(id))).toHaveLength(2);
  });

  it('has the facility’s settings as they now are', async () => {
    const { end } = await take();
    await configure({ areas: [{ code: 'P1', facility: { offline_minutes: 60, exit_grace_minutes: 5 } }] });
    const { header } = await take({ cursor: end.cursor });
    expect(header).toMatchObject({ mode: 'delta', facility: { exit_grace_minutes: 5 } });
    expect(Date.parse(header.valid_until) - Date.parse(header.as_of)).toBe(HOUR_MS);
  });
});

describe('A list is refused', () => {
  const refusedFor = async (path: string, query = {}) => askList(city.service, city.headers, query, path);

  it('where the area is not an active facility', async () => {
    const closed = { code: 'CLOSED', name: 'Closed', area_type: 'facility', active: false };
    await configure({ areas: [{ ...closed, facility: { offline_minutes: 60 } }] });
    for (const code of ['S1', 'CLOSED', 'NOBODY', '%20', 'p1']) {
      const path = LIST.replace('P1', code);
      expect(await refusedFor(path)).toEqual({ status: 404, code: 'AREA_NOT_FOUND' });
    }
  });

  it('for a limit that is none', async () => {
    for (const limit of ['0', '10001', '-1', '1.5', 'many', '1e3']) {
      expect(await refusedFor(LIST, { limit })).toEqual({ status: 422, code: 'INVALID_REQUEST' });
    }
  });

  it('for a parameter that it does not know', async () => {
    expect(await refusedFor(LIST, { curser: 'made-up' })).toEqual({ status: 422, code: 'INVALID_REQUEST' });
  });

  it('where the facility may not go without the service, before its cursor is judged', async () => {
    const switched = (offline_minutes: number) =>
      configure({ areas: [{ code: 'P1', facility: { offline_minutes } }] });
    await switched(0);
    expect(await refusedFor(LIST, { cursor: 'made-up' })).toEqual({ status: 403, code: 'SERVICE_DISABLED' });
    await switched(1);
    expect(await refusedFor(LIST, { cursor: 'made-up' })).toEqual({ status: 410, code: 'CURSOR_GONE' });
  });
});

it('In a zone at +14:00, what begins beyond the calendar is left out, and no entry ends where it begins', async () => {
  const [AT_NINE, AT_ELEVEN, AT_NOON] = ['09', '11', '12'].map((hour) => `9999-12-31T${hour}:00:00Z`);
  await configure({ timezone: 'Pacific/Kiritimati' });
  const before = await freshHolder();
  const others = before.entries.size;
  await importSessions(
    session('before', { starts_at: AT_NINE, ends_at: AT_NOON, plate: 'FAR1' }),
    session('beyond', { starts_at: AT_ELEVEN, ends_at: AT_NOON, plate: 'FAR2' }),
  );
  const beyond = { periods: [{ starts_at: AT_ELEVEN, ends_at: AT_NOON }] };
  await importSubscriptions(subscription('beyond', { ...beyond, plates: [{ plate: 'FAR3' }] }));
  await before.refresh();
  expect(before.entries.size).toBe(others + 1);
  const { lines } = await take();
  expect(lines).toContainEqual(expect.objectContaining({ until: '9999-12-31T23:59:59+14:00' }));
  await importSessions(session('before', { starts_at: AT_ELEVEN, ends_at: AT_NOON, plate: 'FAR1' }));
  await before.refresh();
  expect([before.entries.size, before.fullLists]).toEqual([others, 1]);
});
