import { describe, expect, it } from 'vitest';
import { DocumentFile } from '../../clients/parking/documents/document.ts';
import { sumWords } from '../../clients/parking/documents/sum-words.ts';
import { yamlText } from '../../clients/parking/documents/yaml-text.ts';
import { progressText } from '../../clients/parking/imports/progress.ts';
import type { Payment } from '../../clients/parking/payments/find-payments.ts';
import { barOf } from '../../clients/parking/terminal/bar.ts';
import { harmless, marked, printed } from '../../clients/parking/terminal/door.ts';
import { widthOf } from '../../clients/parking/terminal/fold.ts';
import { durationOf, groupDigits } from '../../clients/parking/terminal/numbers.ts';
import { fieldLines, tableLines } from '../../clients/parking/terminal/table.ts';
import type { Paint } from '../../clients/parking/terminal/terminal.ts';
import { comparisonOf, type Evidence } from '../../clients/parking/views/evidence.ts';
import { paymentTable } from '../../clients/parking/views/payment.ts';
import { serviceStatusLines } from '../../clients/parking/views/service-status.ts';

describe('The comparison of evidence', () => {
  const session = (session_id: string, source_code: string) => ({
    ...{ session_id, source_code, status: 'valid', area: { code: 'S1', name: 'Via Roma' } },
    ...{ starts_at: '2026-03-07T12:00:00+01:00', ends_at: '2026-03-07T13:00:00+01:00' },
  });
  const verdict = (sessions: readonly object[]) => ({
    has_valid_parking: true,
    sessions,
    subscriptions: [{ subscription_number: '7', status: 'active', reason_code: 'VALID_SUBSCRIPTION' }],
  });
  const [then, now] = [[session('7', 'app1')], [session('7', 'app1'), session('7', 'app2')]].map(verdict);
  // What is compared alone.
  const evidence = { as_known_then: then, as_known_now: now } as unknown as Evidence;

  it('has each session and subscription, also of one name, behind the facts', () => {
    const rows = comparisonOf(evidence, 'en');
    expect(rows.map(({ name, differs }) => [name, differs])).toEqual([
      ...[
        ['has_valid_parking', false],
        ['app1/7', false],
        ['7', false],
      ],
      ['app2/7', true],
    ]);
  });
});

describe('A table of payments', () => {
  const narrow: Paint = Object.assign((...[, text]: Parameters<Paint>) => text, { columns: 80 });
  const payment = (payment_id: string, result_code: string) =>
    ({
      ...{ payment_id, result_code, plate: 'AB123CD', terminal_code: 'METER-17', codice_tariffa: '101' },
      ...{ importo_eurocent: 100_000, collected_at: '2026-11-24T06:44:31+01:00', accepted: false },
      state: 'unsettled',
    }) as Payment;
  const id = '3f1c9a52-77d4-4d0e-9a8b-2f6b1c0d9e11';

  it.each(['en', 'it'] as const)('fits 80 columns in %s, and leaves long ids whole', (language) => {
    const table = paymentTable([payment(id, 'DIRECT_PURCHASE_NOT_SUPPORTED')], language, narrow);
    expect(table.filter((line) => widthOf(line) > 80)).toEqual([]);
    expect(table).toContain(`  ${id}`);
    expect(table[0]).toMatch(/^\w+ +\w+ +\w+ +\w+ +\w+ +\w+$/);
  });

  it('has a line for each payment where the ids are short, or no screen bounds it', () => {
    expect(paymentTable([payment('P-1', 'PLAN_NOT_FOUND')], 'en', narrow)[1]).toMatch(/ P-1 +AB123CD /);
    const piped: Paint = (_, text) => text;
    expect(paymentTable([payment(id, 'PLAN_NOT_FOUND')], 'en', piped)).toHaveLength(2);
  });
});

describe('The status of the service', () => {
  it('has its instants as people write them', () => {
    const status = {
      ...{ version: '2.1.0', database: { size_bytes: 1, schema: 0 }, failing: [] },
      late_sources: [
        {
          ...{ municipality_code: 'H501', source_code: 'app1', status: 'stale' },
          last_successful_at: '2026-11-24T05:44:00.000Z',
        },
      ],
      snapshots: { oldest_at: '2026-11-24T05:45:00.000Z' },
      retention: { last_run_at: '2026-11-24T05:00:00.000Z', behind: false },
    } as unknown as Parameters<typeof serviceStatusLines>[0];
    const lines = serviceStatusLines(status, 'en', (_, text) => text).join('\n');
    expect(lines.match(/24\/11\/2026 \d\d:\d\d UTC/g)).toHaveLength(3);
  });
});

describe('A bar', () => {
  it.each([
    [0, '········'],
    [0.5, '████····'],
    [0.55, '████▍···'],
    [1, '████████'],
    [1.7, '████████'],
    [Number.NaN, '········'],
  ])('of %d is %s', (share, bar) => {
    expect(barOf(share, 8)).toBe(bar);
  });
});

describe('A time', () => {
  it.each([
    [0, '0 s'],
    [59.4, '59 s'],
    [60, '1:00'],
    [125, '2:05'],
    [3_661, '1:01:01'],
  ])('of %d seconds is shown as %s', (seconds, text) => {
    expect(durationOf(seconds)).toBe(text);
  });
});

describe('The progress of an import', () => {
  const half = { bytesDone: 50, bytesTotal: 100, lines: 12_000, rejected: 0, seconds: 60, tries: 1 };

  it('tells share, lines, rate and time left', () => {
    expect(progressText(half, 'en')).toBe('████████████············  50 %  12,000 lines  200/s  1:00 left');
  });

  it('tells rejected lines and further tries when there are some, in the language of the user', () => {
    expect(progressText({ ...half, rejected: 3, tries: 2 }, 'it')).toBe(
      '████████████············  50 %  12.000 righe  200/s  ancora 1:00  3 rifiutate  parte reinviata (2)',
    );
  });

  it('tells no share where nobody knows the size', () => {
    expect(progressText({ ...half, bytesTotal: null }, 'en')).toBe('12,000 lines  200/s');
  });

  it('counts a line of its own as one', () => {
    const one = { ...half, lines: 1, rejected: 1, seconds: 0, bytesTotal: null };
    expect(progressText(one, 'en')).toBe('1 line  1 rejected');
    expect(progressText(one, 'it')).toBe('1 riga  1 rifiutata');
  });

  it('begins with nothing', () => {
    const nothing = { bytesDone: 0, bytesTotal: 100, lines: 0, rejected: 0, seconds: 0, tries: 1 };
    expect(progressText(nothing, 'en')).toBe('························   0 %  0 lines');
  });
});

describe('A table', () => {
  it('is as wide as its widest cell, whatever its colours, and lets no text steer the terminal', () => {
    const rows = [
      [marked('\x1b[32mAB\x1b[39m'), '7'],
      ['ABCD', '10'],
    ];
    const lines = tableLines([{ title: 'code' }, { title: 'n', align: 'right' }], rows, (_, text) => text);
    expect(lines.map(printed)).toEqual(['code   n', '\x1b[32mAB\x1b[39m     7', 'ABCD  10']);
    expect(harmless('a\x1b[2Jb\nc\u202ed')).toBe('a<U+001B>[2Jb<U+000A>c<U+202E>d');
    expect(groupDigits(1_234_567, 'it')).toBe('1.234.567');
  });
});

describe('A table on a narrow screen', () => {
  const narrow = Object.assign((_: unknown, text: string) => text, { columns: 30 });

  it('folds its widest cells between words, in codes and instants, and never a number', () => {
    const columns = [{ title: 'what' }, { title: 'how many', align: 'right' as const }, { title: 'when' }];
    const rows = [[marked('\x1b[33mNO_VALID_ENTITLEMENT\x1b[39m'), '1,234', '2026-03-07T12:00:00+01:00']];
    expect(tableLines(columns, rows, narrow).map(printed)).toEqual([
      'what           how  when',
      '              many',
      '\x1b[33mNO_VALID_\x1b[39m    1,234  2026-03-07',
      '\x1b[33mENTITLEMENT\x1b[39m         T12:00:00+01:00',
    ]);
    expect(fieldLines([['name', 'one two three four five six']], 20)).toEqual([
      'name  one two three',
      '      four five six',
    ]);
    // It is copied.
    expect(fieldLines([['token', 'pev_at_0123456789_0123456789']], 20)).toEqual([
      'token  pev_at_0123456789_0123456789',
    ]);
  });
});

describe('A configuration as YAML', () => {
  it('shows what would steer the terminal as its number, and reads back as it was', () => {
    const names = {
      plain: 'Via Roma',
      turned: 'Via \u202eamoR',
      controlled: 'a\u009bb',
      quoted: 'C:\\u202e "x"',
    };
    const text = yamlText(names);
    expect(text).toContain('plain: Via Roma\n');
    expect(text).toContain('"Via \\u202eamoR"');
    expect(text).not.toMatch(/[\u009b\u202e]/);
    expect(new DocumentFile('names.yaml', text).value).toEqual(names);
  });
});

describe('The sums of a configuration', () => {
  it('are worded by their counts', () => {
    const sums = { created: 1, updated: 0, unchanged: 1_200 };
    expect(sumWords(sums, 'en')).toBe('1 created, 0 updated, 1,200 unchanged');
    expect(sumWords(sums, 'it')).toBe('1 creato, 0 aggiornati, 1.200 invariati');
  });
});
