import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conclude } from '../../clients/client/gate/conclude.ts';
import { HeldList } from '../../clients/client/gate/held-list.ts';
import { plateHashOf } from '../../clients/client/gate/plate-hash.ts';
import { type ListHeader, readListPage } from '../../clients/client/list/wire.ts';
import { ACCESS_EVENTS, type AccessEvent } from '../../src/domain/facility-access.ts';
import { instant, LAST_INSTANT } from '../../src/domain/instant.ts';
import { normalizePlate, type Plate } from '../../src/domain/plate.ts';
import { HEADER, HOUR, MINUTE, NOON } from './list-lines.ts';

const root = new URL('../..', import.meta.url).pathname;
const FILE = `${root}docs/gate-vectors.json`;
const TOKEN = 'parkat_example';

const KNOWN = readFileSync(`${root}test/domain/plates.tsv`, 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t')[0] ?? '');
/** One at least of each kind that the normalization tells apart, one a line: with its blanks and its marks. */
const KINDS = `AB123CD|EF456GH|SU1|ÄÖ1|MÜ AB 123|mu\u0308 ab 123|ÁÀÂÄÃÅ Ç Ñ|đħłøŧ 12|ĐĦŁØŦ 12|ΑΒΕΖΗΙΚ ΜΝΟΡΤΥΧ|αβεζηικ
АВЕІЅЈКМ|НОРСТУХ|авеіѕјкм|Жук 12|京A 12345|가 1234|ＭＵ－１２|ab\u200b12\ufeff3|AB\u00a012\u20093|AB—12–3|A:B.1,2|O0I1
ß 123|ẞ 123|ı 123|ſ 123|ﬃ1|Ⅳ 12|™ 12|µ 12|AB²12|\u212a 12|ÆÞ1|ABCDEFGHIJ12345|ABCDEFGHIJ123456|AB 12٣|İ 1|🚗 AB1|-|\u0301`;
const RAW = [...KNOWN, ...KINDS.split(/[|\n]/)];

const iso = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00');

/** The lines of a page as the service writes them. */
const page = (header: Partial<ListHeader>, lines: readonly object[], more = false, cut = 0): string =>
  [
    { ...HEADER, as_of: iso(NOON), valid_until: iso(NOON + 12 * HOUR), ...header },
    ...lines,
    { type: 'end', cursor: `c${lines.length}`, more, lines: lines.length + cut },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');

async function vectors() {
  const { keyId, of } = await plateHashOf(TOKEN);
  const normalized = RAW.map((raw) => ({ raw, normalized: normalizePlate(raw) }));
  const hashes = new Map<Plate, string>();
  for (const { normalized: plate } of normalized) if (plate !== null) hashes.set(plate, await of(plate));
  const hashOf = (raw: string): string => {
    const plate = normalizePlate(raw);
    return (plate !== null && hashes.get(plate)) || expect.fail(`${raw} is not among the plates`);
  };
  const session = (id: string, plate: string, from: number, until: number, cancelled?: number) => ({
    ...{ type: 'entry', id, plate: hashOf(plate), kind: 'session', from: iso(from), until: iso(until) },
    ...(cancelled !== undefined && { cancelled_at: iso(cancelled) }),
  });
  const subscription = (
    id: string,
    plate: string,
    ...spans: readonly (readonly [number, number | null])[]
  ) => ({
    ...{ type: 'entry', id, plate: hashOf(plate), kind: 'subscription' },
    valid: spans.map(([from, until]) => ({ from: iso(from), until: until === null ? null : iso(until) })),
  });
  const later = {
    mode: 'delta',
    as_of: iso(NOON + MINUTE),
    valid_until: iso(NOON + 12 * HOUR + MINUTE),
  } as const;
  const steps = [
    {
      what: 'a full list of two pages',
      pages: [
        page(
          {},
          [
            session('s1', 'AB123CD', NOON, NOON + HOUR),
            session('s2', 'MUAB123', NOON + HOUR, NOON + 2 * HOUR),
            session('s3', 'AB123CD', NOON + 3 * HOUR, NOON + 4 * HOUR),
          ],
          true,
        ),
        page({}, [
          session('s4', 'EF456GH', NOON - HOUR, NOON + HOUR, NOON + 30 * MINUTE),
          subscription('t1', 'SU1', [NOON, NOON + HOUR], [NOON + 2 * HOUR, null]),
        ]),
      ],
    },
    {
      what: 'a delta that repeats an entry, changes one, and removes one that nobody has',
      pages: [
        page(later, [
          session('s1', 'AB123CD', NOON, NOON + HOUR),
          session('s2', 'EF456GH', NOON + HOUR, NOON + 3 * HOUR),
          { type: 'removed', id: 'unknown' },
          { type: 'removed', id: 's3' },
          session('s5', 'ÄÖ1', NOON, NOON + HOUR),
        ]),
      ],
    },
    {
      what: 'a page that is cut short',
      pages: [page(later, [{ type: 'removed', id: 's1' }], false, 1)],
    },
    {
      what: 'a delta with another key_id',
      pages: [page({ ...later, plate_hash: { ...HEADER.plate_hash, key_id: '00000000' } }, [])],
    },
    {
      what: 'a full list that replaces all, in a facility where no subscription opens',
      pages: [
        page({ facility: { ...HEADER.facility, subscription_access: false } }, [
          subscription('t1', 'SU1', [NOON, null]),
          session('s9', 'AB123CD', NOON, NOON + HOUR),
          session('s10', 'EF456GH', NOON, NOON),
          // No tolerance fits behind it.
          session('s11', 'MUAB123', NOON, LAST_INSTANT),
        ]),
      ],
    },
    {
      what: 'a delta after the plate control was switched off',
      pages: [page({ ...later, facility: { ...HEADER.facility, plate_control_enabled: false } }, [])],
    },
  ];
  let held: HeldList | null = null;
  const played = [];
  for (const { what, pages } of steps) {
    const [outcome, next] = taken(held, pages, keyId);
    const list: HeldList = next ?? expect.fail('the first list is held');
    held = list;
    const entries = [...list.entries()].map(({ id }) => id).sort();
    played.push({
      what,
      pages,
      outcome,
      entries,
      decisions: outcome === 'held' ? decisionsOf(list, hashOf) : [],
    });
  }
  return {
    token: TOKEN,
    key_id: keyId,
    plates: normalized,
    hashes: [...hashes].map(([plate, hash]) => ({ plate, hash })),
    steps: played,
  };
}

/** What becomes of the list that is held, by the typed gate's own reading. */
function taken(
  held: HeldList | null,
  texts: readonly string[],
  keyId: string,
): readonly ['held' | 'ask_again' | 'take_full_list', HeldList | null] {
  const pages = texts.map(readListPage).filter((page) => page !== null);
  const [first] = pages;
  if (first === undefined || pages.length < texts.length) return ['ask_again', held];
  if (first.header.plate_hash.key_id !== keyId) return ['take_full_list', held];
  const { header } = first;
  const changes = pages.flatMap((page) => page.changes);
  const isFull = header.mode === 'full' || held === null;
  return ['held', isFull ? HeldList.full(header, changes, '') : held.changed(header, changes, '')];
}

/** The last second before each change of the decision, and the first one of it; else one instant. */
function decisionsOf(list: HeldList, hashOf: (plate: string) => string) {
  const decide = (plate: string, event: AccessEvent, at: number) => {
    const entries = normalizePlate(plate) === null ? [] : list.entriesOf(hashOf(plate));
    return { plate, event, at: iso(at), opens: conclude(list.header, entries, event, instant(at)).granted };
  };
  const instants = Array.from({ length: 13 * 12 }, (_, index) => NOON - HOUR + index * 5 * MINUTE)
    .flatMap((at) => [at - 1_000, at])
    .concat(NOON - 31_000, NOON - 30_000)
    .sort((a, b) => a - b);
  return ['AB 123 CD', 'MÜ AB 123', 'EF456GH', 'SU 1', 'ao1', 'ß'].flatMap((plate) =>
    ACCESS_EVENTS.flatMap((event) => {
      const all = instants.map((at) => decide(plate, event, at));
      const told = all.filter(
        ({ opens }, index) =>
          opens !== (all[index - 1]?.opens ?? opens) || opens !== (all[index + 1]?.opens ?? opens),
      );
      return told.length === 0 ? [decide(plate, event, NOON)] : told;
    }),
  );
}

/** One value a line where there are many, and ASCII alone: any language reads it, and a person too. */
function written(found: Awaited<ReturnType<typeof vectors>>): string {
  const lines = (list: readonly unknown[], indent: string) =>
    list.map((one) => `${indent}${JSON.stringify(one)}`).join(',\n');
  const steps = found.steps.map(
    ({ decisions, ...step }) =>
      `    {\n${Object.entries(step)
        .map(([name, value]) => `      ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
        .join(',\n')},\n      "decisions": [\n${lines(decisions, '        ')}\n      ]\n    }`,
  );
  const text = `{
  "token": "${found.token}",
  "key_id": "${found.key_id}",
  "plates": [\n${lines(found.plates, '    ')}\n  ],
  "hashes": [\n${lines(found.hashes, '    ')}\n  ],
  "steps": [\n${steps.join(',\n')}\n  ]
}\n`;
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

describe('The vectors for gates in any language', () => {
  it('are what the service’s own rules say: write them again with `npx vitest -u`', async () => {
    const found = await vectors();
    await expect(written(found)).toMatchFileSnapshot(FILE);
    expect(JSON.parse(written(found))).toEqual(found);
    // As docs/gate.md says.
    expect(found.key_id).toBe('dc6c7e1c');
    expect(found.hashes).toContainEqual({ plate: 'AB123CD', hash: '992UJiY6g8LKHa3H' });
    const opens = found.steps.flatMap(({ decisions }) => decisions.map((one) => one.opens));
    expect(new Set(opens)).toEqual(new Set([true, false]));
    expect(new Set(found.steps.map(({ outcome }) => outcome)).size).toBe(3);
  });

  const hasPython = spawnSync('python3', ['--version']).status === 0;

  it.runIf(hasPython)('are passed by docs/gate.py', () => {
    expect(execFileSync('python3', ['test/gate/vectors.py'], { cwd: root, encoding: 'utf8' })).toBe('\n');
  });
});
