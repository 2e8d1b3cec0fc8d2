import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../clients/parking/stop.ts';
import { ADMIN_TOKEN, CTRL_C, type How } from './office.ts';
import {
  administrator,
  asAdministrator,
  asOperator,
  desk,
  openOffice,
  operator,
  service,
  token,
  type Words,
  wordsOf,
} from './opened-office.ts';

const ENTER = '\r';
const ESCAPE = '\x1b';
const SHOW_CURSOR = '\x1b[?25h';
const HIDE_CURSOR = '\x1b[?25l';

openOffice();

/** Runs the command in a terminal; its output is without colours. */
async function inTerminal(words: Words, how: How) {
  const { code, out } = await desk.inTerminal(wordsOf(words), how);
  return { code, raw: out, out: stripVTControlCharacters(out) };
}

/** Types each answer once its question is on the screen. */
function answering(...answers: readonly (readonly [question: string, keys: string])[]): How {
  const left = [...answers];
  return {
    environment: administrator(),
    watch: (printed, { type }) => {
      const [next] = left;
      if (next === undefined || !stripVTControlCharacters(printed).includes(next[0])) return;
      left.shift();
      // The question is drawn before its keys are read.
      setTimeout(() => type(next[1]), 100);
    },
  };
}

describe('A question', () => {
  const PUT = 'Put this document?';
  const document = (name: string, capacity: number): string =>
    desk.write(name, `municipalities: [{ code: H501, areas: [{ code: S1, capacity: ${capacity} }] }]\n`);

  it('is asked before a document is put; yes puts it', async () => {
    const put = await inTerminal(`config put ${document('yes.yaml', 41)}`, answering([PUT, `yes${ENTER}`]));
    expect([put.code, put.out]).toEqual([0, expect.stringContaining('Done: 0 created, 1 updated')]);
  });

  it.each([
    ['a stray key', ` ${ENTER}`, EXIT.refused, 'Nothing was changed.'],
    ['Ctrl-C', CTRL_C, EXIT.interrupted, 'Stopped.'],
    ['Ctrl-D', '\x04', EXIT.interrupted, 'Stopped.'],
  ])('about what is shown, answered with %s, changes nothing', async (_, keys, expected, words) => {
    const file = document('no.yaml', 99);
    // With JSON, too, nobody is asked about what was not shown.
    const { code, out, raw } = await inTerminal(`config put ${file} --json`, answering([PUT, keys]));
    expect([code, out]).toEqual([expected, expect.stringContaining(words)]);
    expect(out.slice(0, out.indexOf(PUT))).toMatch(/ capacity +\d+ +99/);
    // The cursor is there again after the last thing that hid it.
    expect(raw.lastIndexOf(SHOW_CURSOR)).toBeGreaterThanOrEqual(raw.lastIndexOf(HIDE_CURSOR));
    expect((await asAdministrator(`config diff ${file}`)).out).toMatch(/ capacity .* 99$/m);
  });

  it('about what cannot be undone is answered by its name: a yes does not do', async () => {
    const [id, file] = ['0'.repeat(24), desk.path('h501.ndjson.gz')];
    expect(await asAdministrator(`backup H501 --out ${file}`)).toMatchObject({ code: 0 });
    for (const [words, name, goesOn] of [
      [`credential revoke ${id}`, id, '(NOT_FOUND)'],
      [`credential rotate ${id} --now`, id, '(NOT_FOUND)'],
      [`restore ${file}`, 'H501', 'nothing is restored over it'],
      ['plate erase NEVERSEEN --tenant acme', 'NEVERSEEN', 'erased'],
    ] as const) {
      const question = `Type ${name} to do it.`;
      const no = await inTerminal(words, answering([question, `yes${ENTER}`]));
      expect([no.code, no.out]).toEqual([EXIT.refused, expect.stringContaining('Nothing was changed.')]);
      expect((await inTerminal(words, answering([question, `${name}${ENTER}`]))).out).toContain(goesOn);
    }
  }, 120_000);
});

describe('A login', () => {
  it('asks for address and secret, shows no secret, and leaves a profile that works', async () => {
    const { code, out, raw } = await inTerminal('login --profile roma --municipality H501', {
      ...answering(
        ['Address of the service', `${service.address}${ENTER}`],
        ['it is not shown', `${token}${ENTER}`],
      ),
      environment: {},
    });
    expect([code, out]).toEqual([0, expect.stringContaining('rights.scopes')]);
    expect(raw).not.toContain(token);
    const checked = await desk.run(['check', 'AB123CD', '--json']);
    expect([checked.code, JSON.parse(checked.out)]).toMatchObject([0, { municipality: { code: 'H501' } }]);
  });

  it('takes the administrator’s token into the same profile from standard input, and refuses what the service does not know', async () => {
    const words = ['login', '--profile', 'roma', '--url', service.address, '--stdin'];
    const wrong = await desk.run(words, { input: 'not-the-administrator-of-anything' });
    expect(wrong.code).toBe(EXIT.refused);
    const right = await desk.run(words, { input: `${ADMIN_TOKEN}\n` });
    expect(right.code).toBe(0);
    const { out } = await desk.run(['profiles', '--json']);
    expect(JSON.parse(out)).toEqual([
      {
        ...{ profile: 'roma', is_current: true, url: service.address, municipality: 'H501' },
        secrets: ['access', 'admin'],
      },
    ]);
    expect(out + right.err).not.toContain(ADMIN_TOKEN);
    expect((await desk.run(['logout', '--profile', 'roma'])).code).toBe(0);
    expect((await desk.run(['check', 'A1'])).code).toBe(EXIT.usage);
  });
});

it('Secrets are shown to a terminal, once', async () => {
  const issue = 'credential issue --tenant acme --name Seen --scope report -m H501';
  const { code, out } = await inTerminal(issue, { environment: administrator() });
  expect([code, out]).toEqual([0, expect.stringMatching(/access_token +pev_at_[0-9a-f_]+/)]);
  expect(out).toContain('they are never shown again');
});

describe('The report that is watched', () => {
  it('is drawn in place, and Ctrl-C leaves it there', async () => {
    let stopped = false;
    const { code, out, raw } = await inTerminal('report --watch --type street', {
      environment: operator(),
      watch: (printed, keys) => {
        if (stopped || !printed.includes('total')) return;
        stopped = true;
        keys.type(CTRL_C);
      },
    });
    expect([code, out]).toEqual([0, expect.stringMatching(/Roma \(H501\)[\s\S]*total +/)]);
    expect(raw).toContain('\x1b[H\x1b[J');
  });

  it('is printed again and again without a single control character where it is not a terminal', async () => {
    let stopped = false;
    const { code, out } = await asOperator('report --watch --type street', {
      watch: (printed, keys) => {
        // Once: another signal would kill it while it ends.
        if (stopped || !printed.includes('Via Roma')) return;
        stopped = true;
        keys.signal('SIGINT');
      },
    });
    expect(code).toBe(0);
    expect(out).not.toContain(ESCAPE);
  });
});

it('An import in a terminal shows its progress: share, lines and rejected ones', async () => {
  const rows = Array.from({ length: 25_000 }, (_, index) => `t-${index},T${index},S1,2026-03-07 10:00`);
  const file = desk.write('progress.csv', `session_id,plate,area_code,starts_at\n${rows.join('\n')}\n`);
  const words = `import sessions ${file} --source app1 --timezone Europe/Rome`;
  const { code, out } = await inTerminal(words, { environment: operator() });
  expect(code).toBe(0);
  expect(out).toMatch(/\d\d %, 10000 lines, 0 rejected/);
  expect(out).toMatch(/created +25000/);
}, 60_000);
