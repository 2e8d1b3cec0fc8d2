import { describe, expect, it } from 'vitest';
import { linesOf } from './table-lines.ts';

const ITALIAN =
  'Codice;Targa;Zona;Inizio;Fine\r\nA-1;"AB 123;CD";S1;07/03/2026 17:44;07/03/2026 18:44\r\n\r\nA-2;EF456GH;S1;07/03/2026 17:44;\r\n';
const MAP = 'session_id=Codice,plate=targa,area_code=Zona,starts_at=Inizio,ends_at=Fine';

describe('A table of sessions', () => {
  it('puts only times together, of which a title may hold a plus itself', async () => {
    const text = 'Id;Targa;Zona;Dal;Ore;A+B\n1;AB1;S1;07/03/2026;17:44;x\n';
    const map = 'session_id=Id,plate=A+B,area_code=Zona,starts_at=Dal + Ore';
    const [row] = await linesOf('sessions', text, { map });
    expect(row?.line).toMatchObject({ plate: 'x', starts_at: '2026-03-07T16:44:00.000Z' });
    await expect(linesOf('sessions', text, { map: map.replace('A+B', 'Id+Targa') })).rejects.toThrow(
      'The file has no column Id+Targa.',
    );
  });

  it('becomes lines by the titles of its columns, with the municipality’s times', async () => {
    const rest = { area_code: 'S1', starts_at: '2026-03-07T16:44:00.000Z' };
    expect(await linesOf('sessions', ITALIAN, { map: MAP })).toEqual([
      {
        ...{ number: 2, trouble: null },
        line: { session_id: 'A-1', plate: 'AB 123;CD', ...rest, ends_at: '2026-03-07T17:44:00.000Z' },
      },
      { number: 4, trouble: null, line: { session_id: 'A-2', plate: 'EF456GH', ...rest } },
    ]);
  });

  it('needs no mapping where its titles are the properties, and takes values that all rows have', async () => {
    const text = '\uFEFFsession_id,plate,starts_at\n1,AB123CD,2026-03-07T17:44:00+01:00\n';
    const [row] = await linesOf('sessions', text, { set: 'area_code=P1,revision=3' });
    expect(row?.line).toEqual({
      ...{ session_id: '1', plate: 'AB123CD', area_code: 'P1', revision: 3 },
      starts_at: '2026-03-07T17:44:00+01:00',
    });
  });

  it('tells each row that cannot be read', async () => {
    const text =
      'session_id,plate,area_code,starts_at,revision\n1,A,S1,tomorrow,\n2,A,S1,2026-03-07 10:00,two\n3,A,S1\n';
    const lines = await linesOf('sessions', text);
    expect(lines.map(({ number, trouble }) => `${number}: ${trouble}`)).toEqual([
      '2: starts_at: tomorrow is not a time: write 2026-03-07 17:44, 07/03/2026 17:44 or 2026-03-07T17:44:00+01:00',
      '3: revision: two is not a whole number',
      '4: the row has 3 cells, the header 5',
    ]);
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
      'a required property without a column',
      { map: 'plate=Targa,area_code=Zona,starts_at=Inizio' },
      'No column for: session_id. The file has: Codice, Targa, Zona, Inizio, Fine',
    ],
  ])('is refused before anything is sent for %s', async (_, options, message) => {
    await expect(linesOf('sessions', ITALIAN, options)).rejects.toThrow(message);
  });

  it('has its whole numbers as spreadsheets write them, and amounts that nobody asked for', async () => {
    const text =
      'session_id;plate;area_code;starts_at;revision;Importo\n' +
      ['2', '2,0', '2.00', '2,5', '2.000'].map((cell) => `1;A;S1;2026-03-07 10:00;${cell};1,50\n`).join('');
    const lines = await linesOf('sessions', text);
    expect(lines.map(({ line, trouble }) => trouble ?? Reflect.get(Object(line), 'revision'))).toEqual([
      ...[2, 2, 2],
      ...['revision: 2,5 is not a whole number', 'revision: 2.000 is not a whole number'],
    ]);
  });
});

describe('A table of subscriptions', () => {
  it('puts lists and periods together from their cells', async () => {
    const text =
      'Numero;Targhe;Tipo;Zone;Dal;Al;Periodi\n' +
      'R-1;"AB123CD, EF456GH";RES;"S1|S2";01/01/2026;31/12/2026;2026-01-01/2026-01-31\n' +
      'R-2;AA000AA;RES;tutte;;;2026-01-01/2026-01-31\n';
    const lines = await linesOf('subscriptions', text, {
      map: 'subscription_number=Numero,plates=Targhe,type=Tipo,areas=Zone,authorized_from=Dal,authorized_until=Al,periods=Periodi',
      set: 'approval=approved',
    });
    const both = {
      ...{ type: 'RES', approval: 'approved' },
      periods: [{ starts_at: '2025-12-31T23:00:00.000Z', ends_at: '2026-01-31T23:00:00.000Z' }],
    };
    expect(lines.map(({ line }) => line)).toEqual([
      {
        ...{ subscription_number: 'R-1', ...both, areas: ['S1', 'S2'] },
        ...{ authorized_from: '2025-12-31T23:00:00.000Z', authorized_until: '2026-12-31T23:00:00.000Z' },
        plates: [{ plate: 'AB123CD' }, { plate: 'EF456GH' }],
      },
      { subscription_number: 'R-2', ...both, areas: 'all', plates: [{ plate: 'AA000AA' }] },
    ]);
  });
});

describe('A subscription that has several rows', () => {
  const TITLES = 'subscription_number,plates,type,approval,areas,revision';
  const row = (number: string, plate: string, revision = '') =>
    `${number},${plate},RES,approved,all,${revision}`;
  const troublesOf = async (...rows: string[]) =>
    (await linesOf('subscriptions', [TITLES, ...rows].join('\n'))).map(({ trouble }) => trouble);
  const ALREADY = (line: number) =>
    `subscription_number: R-1 is in line ${line} already: put all plates and periods of a subscription into one row`;

  it('keeps its first one: each further one is reported with the line of the first, also far below', async () => {
    const others = Array.from({ length: 3_000 }, (_, index) => row(`N-${index}`, 'A1'));
    const troubles = await troublesOf(
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

  it('keeps it also where that row cannot be read: corrected, it would replace the other', async () => {
    expect(await troublesOf(row('R-1', 'A1', 'one'), row('R-1', 'B2', 'one'))).toEqual([
      'revision: one is not a whole number',
      `${ALREADY(2)}; revision: one is not a whole number`,
    ]);
  });

  it('has all of them where their revisions say which one holds', async () => {
    expect(await troublesOf(row('R-1', 'A1', '2'), row('R-1', 'B2', '1'), row('R-1', 'C3', '2'))).toEqual([
      null,
      null,
      ALREADY(2),
    ]);
  });

  it('is not a subscription where it has no number: each such row is reported by itself', async () => {
    expect(await troublesOf(row('', 'A1'), row('', 'B2'))).toEqual([null, null]);
  });
});
