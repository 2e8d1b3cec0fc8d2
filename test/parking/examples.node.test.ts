import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { widthOf } from '../../clients/parking/terminal/fold.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { allCommands, examplesIn, Stage } from './examples.ts';
import { desk, openOffice, service } from './opened-office.ts';

openOffice();

describe('The examples of every help', () => {
  /** Exit codes of those that do not end with 0: somebody would be asked, or something is not there. */
  const EXPECTED: readonly (readonly [example: RegExp, piped: number, terminal: number])[] = [
    [/^parking login/, 2, 2],
    // Secrets go to a terminal or into a file, not into a pipe.
    [/^parking credential issue .*--municipality H501 --area P1$/, 2, 0],
    [/^parking credential rotate/, 2, 2],
    [
      /^parking (plate erase|session end|subscription add|subscription renew|subscription end|payment settle|restore)/,
      2,
      2,
    ],
  ];
  /** What has to be stored before an example can be played. */
  const BEFORE: Readonly<Record<string, string>> = {
    'parking session end': 'parking import sessions today.ndjson --source app1',
    'parking subscription end': 'parking import subscriptions ended.ndjson',
    'parking subscription renew': 'parking import subscriptions ended.ndjson',
    'parking subscription show': 'parking import subscriptions ended.ndjson',
  };

  /** A token, or the path of a file of the test: no word of them is folded. */
  const isUnbroken = (line: string) => /pev_a[tk]_/.test(line) || line.includes(desk.folder);

  /** Piped, and terminals. The short run takes one of them for each example, all in turn. */
  const WIDTHS = [null, 80, 200];

  /** What each command prints when it is asked for help, in a terminal of 80 columns. */
  async function helps(LANG: string): Promise<string[]> {
    const printed: string[] = [];
    for (const words of allCommands()) {
      const { out } = await desk.run([...words, '--help'], { columns: 80, environment: { LANG } });
      printed.push(stripVTControlCharacters(out));
    }
    return printed;
  }

  async function prepare(stage: Stage, example: string): Promise<void> {
    const [start = ''] = /^parking \w+ \w+/.exec(example) ?? [];
    const before = BEFORE[start];
    if (before !== undefined) expect(await stage.play(before, null)).toMatchObject({ code: 0, err: '' });
  }

  it('stand in helps that fit a terminal of 80 columns, in both languages', async () => {
    const lines = [...(await helps('en_GB.UTF-8')), ...(await helps('it_IT.UTF-8'))].join('').split('\n');
    expect(lines.filter((line) => line.length > 80 && !line.startsWith('  $ '))).toEqual([]);
  });

  it('end as they should, piped and in terminals of 80 and 200 columns', async () => {
    const stage = await Stage.open(desk, service);
    const examples = (await helps('en_GB.UTF-8')).flatMap(examplesIn);
    expect(examples.length).toBeGreaterThan(38);
    for (const [index, example] of examples.entries()) {
      await prepare(stage, example);
      const [, piped, terminal] = EXPECTED.find(([pattern]) => pattern.test(example)) ?? [null, 0, 0];
      for (const columns of shortOrThorough([WIDTHS[index % 3] ?? null], WIDTHS)) {
        const { code, out, err } = await stage.play(example, columns);
        const lines = (out + err).split('\n');
        // JSON and YAML are as they are.
        const isForMachines = /--json|config (?:get|init)|parking call/.test(example);
        const broken = lines.filter(
          (line) =>
            /undefined|NaN|\[object/.test(line) ||
            (columns !== null && !isForMachines && !isUnbroken(line) && widthOf(line) > columns),
        );
        const expected = columns === null ? piped : terminal;
        expect({ example, columns, code, broken }, err).toEqual({
          example,
          columns,
          code: expected,
          broken: [],
        });
      }
    }
  }, 120_000);
});
