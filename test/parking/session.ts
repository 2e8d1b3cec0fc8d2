import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { ADMIN_TOKEN, Desk, type Done, type RunningService, startService } from './office.ts';

/** A step of the working day that is written down. */
interface Step {
  readonly words: string;
  /** As it is typed, without what the environment adds. */
  readonly line: string;
  readonly input?: () => string;
  /** What has to come out: the call log is written a moment after the answer. */
  readonly until?: RegExp;
}

const PATIENCE_MS = 20_000;
const AGAIN_MS = 500;

const CITY = `tenants:
  - { code: acme, name: Acme Parking }
municipalities:
  - code: H501
    name: Roma
    timezone: Europe/Rome
    tenant: acme
    areas:
      - { code: S1, name: Via Roma, area_type: street, capacity: 40 }
      - { code: P1, name: Centro, area_type: facility, capacity: 300, facility: { entry_grace_minutes: 10 } }
    sources:
      - { code: app1, name: App One, category: app }
    subscription_types:
      - { code: RES, name: Residents }
    plans:
      - codice_tariffa: "101"
        subscription_type: RES
        importo_eurocent: 2500
        duration: P1M
        descrizione: RESIDENTI MENSILE
`;

const MORE = `municipalities:
  - code: H501
    areas:
      - { code: S1, capacity: 45 }
      - { code: S2, name: Via Po, area_type: street }
`;

const HOUR_MS = 3_600_000;

/** What a clerk's clock shows: the table of the day has to be of today. */
function shownInRome(at: number): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Rome',
    dateStyle: 'short',
    timeStyle: 'short',
  });
  return parts.format(at).replace(',', '');
}

const soste = (now: number): string =>
  [
    'Codice;Targa;Zona;Inizio;Fine',
    `A-1;AB 123 CD;S1;${shownInRome(now - HOUR_MS)};${shownInRome(now + 24 * HOUR_MS)}`,
    `A-2;EF 456 GH;S9;${shownInRome(now - HOUR_MS)};${shownInRome(now + 24 * HOUR_MS)}`,
    'A-3;IJ 789 KL;S1;domani;',
    '',
  ].join('\n');

const steps = (asked: () => string): readonly Step[] => [
  {
    words:
      'The administrator keeps the address and the token in a profile. The token comes from a password manager, not from an argument.',
    line: 'parking login --url http://localhost:8787 --municipality H501 --stdin',
    input: () => ADMIN_TOKEN,
  },
  {
    words: 'A city is configured. A slip of the keyboard is reported with its line.',
    line: 'parking config diff wrong.yaml',
  },
  {
    words: 'Corrected, it is put. What it changes is shown first; without `--yes` it would ask.',
    line: 'parking config put roma.yaml --yes',
  },
  { words: 'From now on a document may name only what is to change.', line: 'parking config diff more.yaml' },
  {
    words: 'The operator gets a credential. Its secrets go into a file, for whoever installs it.',
    line: 'parking credential issue --tenant acme --name "Office, Roma" --scope plate_check,report,import,evidence --municipality H501 --out office.json',
  },
  {
    words: 'The operator logs in to the same profile.',
    line: 'parking login --stdin',
    input: () => '',
  },
  {
    words: 'An export of the app is tried first. Two of its lines are wrong.',
    line: 'parking import sessions soste.csv --source app1 --map session_id=Codice,plate=Targa,area_code=Zona,starts_at=Inizio,ends_at=Fine --dry-run',
  },
  {
    words: 'Imported, the good line is stored, and the others are in a file of their own.',
    line: 'parking import sessions soste.csv --source app1 --map session_id=Codice,plate=Targa,area_code=Zona,starts_at=Inizio,ends_at=Fine --rejected rifiutate.csv',
  },
  {
    words: 'The same file again does no harm.',
    line: 'parking import sessions good.csv --source app1 --map session_id=Codice,plate=Targa,area_code=Zona,starts_at=Inizio,ends_at=Fine',
  },
  { words: 'An officer’s question:', line: 'parking check "ab 123 cd" --area S1' },
  {
    words: 'A driver objects to a fine. When the officer asked, nothing had been imported.',
    line: `parking evidence AB123CD --at ${asked()} --area S1`,
    until: /^checks_count +1$/m,
  },
  {
    words: 'Weeks later the driver asks for what is held, and has it erased.',
    line: 'parking plate erase AB123CD --tenant acme --yes',
  },
  { words: 'And what if the service is away?', line: 'parking check AB123CD' },
];

/** Lives through the day with a service of its own, and writes it down. */
export async function recordSession(): Promise<string> {
  const service = await startService();
  const desk = new Desk();
  try {
    return await recorded(service, desk);
  } finally {
    desk.leave();
    await service.stop();
  }
}

async function recorded(service: RunningService, desk: Desk): Promise<string> {
  const now = Date.now();
  desk.write('roma.yaml', CITY);
  desk.write(
    'wrong.yaml',
    CITY.replace('capacity: 40', 'capacity: fourty').replace('Europe/Rome', 'Europe/Roma'),
  );
  desk.write('more.yaml', MORE);
  desk.write('soste.csv', soste(now));
  desk.write('good.csv', soste(now).split('\n').slice(0, 2).join('\n'));
  let asked = '';
  const written: string[] = [];
  const day = steps(() => 'ASKED');
  for (const [index, step] of day.entries()) {
    const line = step.line.replace('ASKED', asked);
    // A little after the city is there, and before its first session is.
    if (line.includes('--dry-run')) asked = new Date().toISOString();
    if (index === day.length - 1) await service.stop();
    const done = await until(step.until, () =>
      desk.run(wordsOf(line, desk, service), { input: inputOf(step, desk) }),
    );
    written.push(`${step.words}\n\n\`\`\`\n${shown(line, done)}\n\`\`\`\n`);
  }
  return replaced(stripVTControlCharacters(`${HEAD}\n${written.join('\n')}`), desk, service);
}

async function until(expected: RegExp | undefined, run: () => Promise<Done>): Promise<Done> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const done = await run();
    if (expected === undefined || expected.test(done.out) || performance.now() > end) return done;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

const HEAD = `# A working day with \`parking\`

Made by \`npx node test/parking/record.ts\`: the command against a running service, with an empty database at the start. Instants, ids
and durations are replaced, so that the page stays the same while the command does.
`;

/** The secrets that were issued into a file stand in for what an operator would paste. */
function inputOf({ input, line }: Step, desk: Desk): string {
  if (line !== 'parking login --stdin') return input?.() ?? '';
  const { access_token }: { access_token: string } = JSON.parse(
    readFileSync(desk.path('office.json'), 'utf8'),
  );
  return access_token;
}

/** As a shell cuts it, without the command's own name. */
export const wordsOfLine = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1);

/** Names of files are those of the desk. */
function wordsOf(line: string, desk: Desk, service: RunningService): string[] {
  return wordsOfLine(line).map((word) => {
    if (/^[\w-]+\.(yaml|csv|json)$/.test(word)) return desk.path(word);
    return word === 'http://localhost:8787' ? service.address : word;
  });
}

const shown = (line: string, { code, out, err }: Done): string =>
  [`$ ${line}`, out.trimEnd(), err.trimEnd(), ...(code === 0 ? [] : [`(exit code ${code})`])]
    .filter((text) => text !== '')
    .join('\n');

/** What is another one at each run. */
function replaced(text: string, desk: Desk, service: RunningService): string {
  return (
    text
      .replaceAll(`${desk.folder}/config`, '/home/clerk/.config')
      .replaceAll(`${desk.folder}/`, '')
      .replaceAll(service.address, 'http://localhost:8787')
      .replaceAll(
        /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
        '00000000-0000-4000-8000-000000000000',
      )
      .replaceAll(/\b[0-9a-f]{24}\b/g, '0123456789abcdef01234567')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, '<instant>')
      // Shown with seconds where there are any.
      .replaceAll(/\b\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?/g, '2026-03-07 17:44')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'localhost:8787')
      // How late the session arrived, an hour and some seconds.
      .replaceAll(/\b36\d\d\b/g, '3600')
      // Evidence is asked until the check before it is in the call log: once or several times.
      .replaceAll(/^(erased\.calls +)\d+$/gm, '$12')
      .replaceAll(/^(seconds +).*$/gm, '$10.1')
  );
}
