import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { by, desk, openOffice, service, tokenWith } from './opened-office.ts';

openOffice();

const [, DAY = ''] =
  /^## A day$[\s\S]*?^```$\n([\s\S]*?)^```$/m.exec(readFileSync('docs/parking-command.md', 'utf8')) ?? [];

/** What a person does to a file before the command that takes it. */
const corrected = (file: string, ...changes: readonly (readonly [string, string])[]): void => {
  const text = readFileSync(desk.path(file), 'utf8');
  desk.write(
    file,
    changes.reduce((so, [from, to]) => so.replace(from, to), text),
  );
};
const BEFORE: Readonly<Record<string, () => void>> = {
  'parking import sessions scarti.csv': () =>
    corrected('scarti.csv', [';S9;', ';S1;'], [';domani;', ';07/03/2026 10:00;']),
  'parking config diff': () => corrected('roma.yaml', ['capacity: 40', 'capacity: 45']),
};

/** The pattern of what is printed: `…` stands for any lines, or for the rest of a word. */
const patternOf = (printed: string): RegExp =>
  new RegExp(
    `^${printed
      .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll('…\n', '(?:.*\n)*')
      .replaceAll('…', '.*')}$`,
  );

it('The page of the command shows a day as it goes', async () => {
  const office = await tokenWith('office', 'import');
  const times = '07/03/2026 09:00;07/03/2026 12:00';
  const rows = [
    `A-1;AA111AA;S1;${times}`,
    `A-2;AA222AA;S9;${times}`,
    'A-3;AA333AA;S1;domani;07/03/2026 12:00',
  ];
  desk.write('soste.csv', `Codice;Targa;Zona;Inizio;Fine\n${rows.join('\n')}\n`);
  desk.write(
    'soste.yaml',
    'map: { session_id: Codice, plate: Targa, area_code: Zona, starts_at: Inizio, ends_at: Fine }\n',
  );
  const issue = `credential issue --name App --scope import -m H501 --source app1 --out ${desk.path('first.json')}`;
  expect((await by(office, issue)).code).toBe(0);
  const { credential_id: ID } = JSON.parse(readFileSync(desk.path('first.json'), 'utf8'));

  const commands = DAY.split(/^\$ /m).slice(1);
  expect(commands).toHaveLength(7);
  for (const command of commands) {
    const [line = '', ...printed] = command.split(/(?<=\n)/);
    for (const [begins, prepare] of Object.entries(BEFORE)) if (line.startsWith(begins)) prepare();
    const environment = { PARKING_URL: service.address, PARKING_TOKEN: office, ID };
    const { out } = await desk.shell(line, { environment });
    expect(out, line).toMatch(patternOf(printed.join('')));
  }
});
