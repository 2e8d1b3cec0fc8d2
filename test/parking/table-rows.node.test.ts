import { describe, expect, it } from 'vitest';
import type { OpenedFile } from '../../clients/parking/imports/chunks.ts';
import { guessedDelimiter, openCsv } from '../../clients/parking/imports/csv-rows.ts';
import { FirstLines } from '../../clients/parking/imports/first-lines.ts';
import { judgeLine, type KindName, NOTHING_KNOWN } from '../../clients/parking/imports/kinds.ts';
import { readPairs, Translator } from '../../clients/parking/imports/mapping.ts';
import type { TimeRules } from '../../clients/parking/time/read-time.ts';
import { Zone } from '../../clients/parking/time/wall-clock.ts';

const RULES: TimeRules = { zone: new Zone('Europe/Rome'), dateOrder: 'dmy', endDates: 'included' };

interface Told {
  readonly map?: string;
  readonly set?: string;
  readonly encoding?: string;
}

/** A file that comes in chunks of a few bytes, cut anywhere. */
const fileOf = (bytes: Uint8Array, chunk = 7): OpenedFile => ({
  name: 'soste.csv',
  bytes: bytes.length,
  async *chunks() {
    for (let from = 0; from < bytes.length; from += chunk)
      yield Buffer.from(bytes.subarray(from, from + chunk));
  },
});

async function linesOf(
  kind: KindName,
  text: string | Uint8Array,
  { map, set, encoding = 'utf-8' }: Told = {},
) {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const table = await openCsv(fileOf(bytes), encoding, null);
  const mapping = {
    columns: readPairs(map === undefined ? [] : [map], '--map'),
    constants: readPairs(set === undefined ? [] : [set], '--set'),
  };
  const translator = new Translator(kind, table.header, mapping, RULES);
  const lines = [];
  for await (const row of table.rows()) {
    const { text: line, trouble } = translator.translate(row);
    lines.push({
      number: row.number,
      line: JSON.parse(line) as unknown,
      trouble: trouble?.message.en ?? null,
    });
  }
  return lines;
}

const ITALIAN =
  'Codice;Targa;Zona;Inizio;Fine\r\nA-1;"AB 123;CD";S1;07/03/2026 17:44;07/03/2026 18:44\r\n\r\nA-2;EF456GH;S1;07/03/2026 17:44;\r\n';
const MAP = 'session_id=Codice,plate=targa,area_code=Zona,starts_at=Inizio,ends_at=Fine';

describe('A table of sessions', () => {
  it('becomes lines by the titles of its columns, with the municipality’s times', async () => {
    expect(await linesOf('sessions', ITALIAN, { map: MAP })).toEqual([
      {
        number: 2,
        line: {
          session_id: 'A-1',
          plate: 'AB 123;CD',
          area_code: 'S1',
          starts_at: '2026-03-07T16:44:00.000Z',
          ends_at: '2026-03-07T17:44:00.000Z',
        },
        trouble: null,
      },
      {
        number: 4,
        line: { session_id: 'A-2', plate: 'EF456GH', area_code: 'S1', starts_at: '2026-03-07T16:44:00.000Z' },
        trouble: null,
      },
    ]);
  });

  it('needs no mapping where its titles are the properties, and takes values that all rows have', async () => {
    const text = '\uFEFFsession_id,plate,starts_at\n1,AB123CD,2026-03-07T17:44:00+01:00\n';
    expect(await linesOf('sessions', text, { set: 'area_code=P1,revision=3' })).toEqual([
      {
        number: 2,
        line: {
          session_id: '1',
          plate: 'AB123CD',
          area_code: 'P1',
          starts_at: '2026-03-07T17:44:00+01:00',
          revision: 3,
        },
        trouble: null,
      },
    ]);
  });

  it('tells each row that cannot be read, and sends the service a line in its place that it rejects too', async () => {
    const text =
      'session_id,plate,area_code,starts_at,revision\n1,A,S1,tomorrow,\n2,A,S1,2026-03-07 10:00,two\n3,A,S1\n';
    const lines = await linesOf('sessions', text);
    expect(lines.map(({ number, trouble }) => `${number}: ${trouble}`)).toEqual([
      '2: starts_at: tomorrow is no time: write 2026-03-07 17:44, 07/03/2026 17:44 or 2026-03-07T17:44:00+01:00',
      '3: revision: two is no whole number',
      '4: the row has 3 cells, the header 5',
    ]);
    for (const { line } of lines) {
      expect(judgeLine('sessions', JSON.stringify(line), NOTHING_KNOWN)?.code).toBe('INVALID_REQUEST');
    }
  });

  it.each([
    [
      'a column that is not there',
      { map: 'plate=Kennzeichen' },
      'The file has no column Kennzeichen. It has: Codice, Targa, Zona, Inizio, Fine',
    ],
    [
      'a property that does not exist',
      { map: 'colour=Targa' },
      'No such property: colour. There are: session_id, plate, area_code, starts_at, ends_at, cancelled_at, revision',
    ],
    [
      'what is no pair',
      { map: 'plate' },
      '--map takes pairs, each property once: --map plate=Targa,area_code=Zona. This is none: plate',
    ],
    [
      'a required property without a column',
      { map: 'plate=Targa,area_code=Zona,starts_at=Inizio' },
      'No column for: session_id. The file has: Codice, Targa, Zona, Inizio, Fine',
    ],
  ])('is refused before anything is sent for %s', async (_, told, message) => {
    await expect(linesOf('sessions', ITALIAN, told)).rejects.toThrow(message);
  });

  it('is refused where it is not in the encoding that was said, and read in another one', async () => {
    const latin = Uint8Array.from(
      Buffer.from('session_id;plate;area_code;starts_at\n1;A;Città;2026-03-07 10:00\n', 'latin1'),
    );
    await expect(linesOf('sessions', latin)).rejects.toThrow('soste.csv is not in utf-8.');
    const [row] = await linesOf('sessions', latin, { encoding: 'windows-1252' });
    expect(row?.line).toMatchObject({ area_code: 'Città' });
  });

  it('with a quote that never ends is refused, whatever its size', async () => {
    const text = `session_id,plate,area_code,starts_at\n1,"A,S1,2026-03-07 10:00\n${'x,'.repeat(300_000)}`;
    await expect(linesOf('sessions', text)).rejects.toThrow('cannot be read as a table');
  });

  it('without a line is refused: nothing says what its columns are', async () => {
    await expect(linesOf('sessions', '')).rejects.toThrow('soste.csv is empty');
  });
});

describe('A table of subscriptions', () => {
  it('puts lists and periods together from their cells', async () => {
    const text =
      'Numero;Targhe;Tipo;Zone;Dal;Al;Periodi\nR-1;"AB123CD, EF456GH";RES;"S1|S2";01/01/2026;31/12/2026;01/01/2026/31/01/2026\nR-2;AA000AA;RES;tutte;;;2026-01-01/2026-01-31; \n'
        .replace('01/01/2026/31/01/2026', '2026-01-01/2026-01-31')
        .replace('2026-01-31; \n', '2026-01-31\n');
    const lines = await linesOf('subscriptions', text, {
      map: 'subscription_number=Numero,plates=Targhe,type=Tipo,areas=Zone,authorized_from=Dal,authorized_until=Al,periods=Periodi',
      set: 'approval=approved',
    });
    const period = { starts_at: '2025-12-31T23:00:00.000Z', ends_at: '2026-01-31T23:00:00.000Z' };
    expect(lines.map(({ line }) => line)).toEqual([
      {
        subscription_number: 'R-1',
        type: 'RES',
        approval: 'approved',
        authorized_from: '2025-12-31T23:00:00.000Z',
        authorized_until: '2026-12-31T23:00:00.000Z',
        areas: ['S1', 'S2'],
        plates: [{ plate: 'AB123CD' }, { plate: 'EF456GH' }],
        periods: [period],
      },
      {
        subscription_number: 'R-2',
        type: 'RES',
        approval: 'approved',
        areas: 'all',
        plates: [{ plate: 'AA000AA' }],
        periods: [period],
      },
    ]);
    for (const { line } of lines) {
      expect(judgeLine('subscriptions', JSON.stringify(line), NOTHING_KNOWN)).toBeNull();
    }
  });
});

describe('A subscription that has several rows', () => {
  const TITLES = 'subscription_number,plates,type,approval,areas,revision';
  const row = (number: string, plate: string, revision = '') =>
    `${number},${plate},RES,approved,all,${revision}`;
  const told = async (...rows: string[]) =>
    (await linesOf('subscriptions', [TITLES, ...rows].join('\n'))).map(({ trouble }) => trouble);
  const ALREADY = (line: number) =>
    `subscription_number: R-1 is in line ${line} already: put all plates and periods of a subscription into one row`;

  it('keeps its first one: each further one is told with the line of the first, also far below', async () => {
    const others = Array.from({ length: 3_000 }, (_, index) => row(`N-${index}`, 'A1'));
    const troubles = await told(
      row('R-1', 'A1'),
      row('R-1 ', 'B2'),
      ...others,
      row('R-1', 'C3'),
      row('r-1', 'D4'),
    );
    expect(troubles.flatMap((trouble, index) => (trouble === null ? [] : [[index + 2, trouble]]))).toEqual([
      [3, ALREADY(2)],
      [3_004, ALREADY(2)],
    ]);
  });

  it('keeps it also where that row cannot be read: mended, it would replace the other', async () => {
    expect(await told(row('R-1', 'A1', 'one'), row('R-1', 'B2', 'one'))).toEqual([
      'revision: one is no whole number',
      ALREADY(2),
    ]);
  });

  it('has all of them where their revisions say which one holds', async () => {
    expect(await told(row('R-1', 'A1', '2'), row('R-1', 'B2', '1'), row('R-1', 'C3', '2'))).toEqual([
      null,
      null,
      ALREADY(2),
    ]);
  });

  it('is no subscription where it has no number: each such row is told by itself', async () => {
    expect(await told(row('', 'A1'), row('', 'B2'))).toEqual([null, null]);
  });
});

describe('The lines in which keys came first', () => {
  it('are all known, of many keys, in little memory', () => {
    const lines = new FirstLines();
    const before = process.memoryUsage().arrayBuffers;
    const KEYS = 100_000;
    for (let key = 0; key < KEYS; key += 1) expect(lines.of(`key ${key}`, key + 2)).toBe(key + 2);
    for (let key = 0; key < KEYS; key += 1) expect(lines.of(`key ${key}`, 1)).toBe(key + 2);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1_024 * 1_024);
  });
});

describe('What stands between the columns', () => {
  it.each([
    ['a;b;c', ';'],
    ['a,b', ','],
    ['a\tb\tc', '\t'],
    ['"a,b,c";d;e', ';'],
    ['a', ';'],
  ])('of %j is %j', (titles, delimiter) => {
    expect(guessedDelimiter(`${titles}\n1,2,3,4,5\n`)).toBe(delimiter);
  });
});
