import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, CTRL_C } from './office.ts';
import {
  administrator,
  asAdministrator,
  asOperator,
  desk,
  openOffice,
  operator,
  service,
  token,
} from './opened-office.ts';

const ENTER = '\r';
const ESCAPE = '\x1b';
const SHOW_CURSOR = '\x1b[?25h';
const HIDE_CURSOR = '\x1b[?25l';

openOffice();

/** Types each answer once its question is on the screen. */
function answering(answers: readonly (readonly [question: string, keys: string])[]) {
  const left = [...answers];
  return (printed: string, { type }: { type: (text: string) => void }) => {
    const [next] = left;
    if (next === undefined || !stripVTControlCharacters(printed).includes(next[0])) return;
    left.shift();
    // The question is drawn before its keys are read.
    setTimeout(() => type(next[1]), 100);
  };
}

/** The cursor is there again after the last thing that hid it. */
const givesCursorBack = (printed: string): boolean =>
  printed.lastIndexOf(SHOW_CURSOR) >= printed.lastIndexOf(HIDE_CURSOR);

describe('A question', () => {
  const change = 'municipalities: [{ code: H501, areas: [{ code: S1, capacity: 41 }] }]\n';

  it('is asked before a document is put; yes puts it', async () => {
    const file = desk.write('yes.yaml', change);
    const { code, out } = await desk.inTerminal(['config', 'put', file], {
      environment: administrator(),
      watch: answering([['Put this document?', `yes${ENTER}`]]),
    });
    expect(stripVTControlCharacters(out)).toContain('Done: 0 created, 1 updated');
    expect(code).toBe(0);
  });

  it('is asked about what is shown, where the answer is to be JSON too', async () => {
    const file = desk.write('shown.yaml', change.replace('41', '43'));
    const { code, out } = await desk.inTerminal(['config', 'put', file, '--json'], {
      environment: administrator(),
      watch: answering([['Put this document?', `n${ENTER}`]]),
    });
    expect(code).toBe(1);
    const printed = stripVTControlCharacters(out);
    expect(printed.slice(0, printed.indexOf('Put this document?'))).toMatch(/ capacity +\d+ +43/);
  });

  it('is asked by the municipality’s name before a restore: a yes does not do', async () => {
    const file = desk.path('h501.ndjson.gz');
    expect(await asAdministrator(['backup', 'H501', '--out', file])).toMatchObject({ code: 0 });
    const { code, out } = await desk.inTerminal(['restore', file], {
      environment: administrator(),
      watch: answering([['Type H501 to do it.', `yes${ENTER}`]]),
    });
    expect([code, out]).toEqual([1, expect.stringContaining('Nothing was changed.')]);
    const named = await desk.inTerminal(['restore', file], {
      environment: administrator(),
      watch: answering([['Type H501 to do it.', `H501${ENTER}`]]),
    });
    expect([named.code, named.out]).toEqual([1, expect.stringContaining('nothing is restored over it')]);
  }, 60_000);

  it.each([
    ['no', `n${ENTER}`, 1, 'Nothing was changed.'],
    ['a stray key', ` ${ENTER}`, 1, 'Nothing was changed.'],
    ['nothing', ENTER, 1, 'Nothing was changed.'],
    ['Ctrl-C', CTRL_C, 130, 'Stopped.'],
    ['Ctrl-D', '\x04', 130, 'Stopped.'],
  ])('answered with %s changes nothing', async (_, keys, expected, words) => {
    const file = desk.write('no.yaml', change.replace('41', '99'));
    const { code, out } = await desk.inTerminal(['config', 'put', file], {
      environment: administrator(),
      watch: answering([['Put this document?', keys]]),
    });
    expect(code).toBe(expected);
    expect(stripVTControlCharacters(out)).toContain(words);
    expect(givesCursorBack(out)).toBe(true);
    const { out: diff } = await asAdministrator(['config', 'diff', file]);
    expect(diff).toMatch(/ capacity .* 99$/m);
  });
});

describe('What cannot be undone', () => {
  it('is done when its name is typed, and for no other answer', async () => {
    const id = '0'.repeat(24);
    const revoking = (keys: string) =>
      desk.inTerminal(['credential', 'revoke', id], {
        environment: administrator(),
        watch: answering([[`Type ${id} to do it.`, `${keys}${ENTER}`]]),
      });
    expect(stripVTControlCharacters((await revoking('yes')).out)).toContain('Nothing was changed.');
    expect(stripVTControlCharacters((await revoking(id)).out)).toContain('(NOT_FOUND)');
    const rotating = (keys: string, ...more: string[]) =>
      desk.inTerminal(['credential', 'rotate', id, ...more], {
        environment: administrator(),
        watch: answering([[`Type ${id} to do it.`, `${keys}${ENTER}`]]),
      });
    expect(stripVTControlCharacters((await rotating('yes')).out)).toContain('Nothing was changed.');
    const now = stripVTControlCharacters((await rotating(id, '--now')).out);
    expect(now).toContain('Callers with the old secrets are refused from now on.');
    expect(now).toContain('(NOT_FOUND)');
    const { out } = await desk.inTerminal(['plate', 'erase', 'AB123CD', '--tenant', 'acme'], {
      environment: administrator(),
      watch: answering([['Type AB123CD to do it.', `AB123CE${ENTER}`]]),
    });
    expect(stripVTControlCharacters(out)).toContain('Nothing was changed.');
  });
});

describe('A login', () => {
  it('asks for address and secret, shows no secret, and leaves a profile that works', async () => {
    const { code, out } = await desk.inTerminal(['login', '--profile', 'roma', '--municipality', 'H501'], {
      watch: answering([
        ['Address of the service', `${service.address}${ENTER}`],
        ['it is not shown', `${token}${ENTER}`],
      ]),
    });
    expect(stripVTControlCharacters(out)).toContain('rights.scopes');
    expect(code).toBe(0);
    expect(out).not.toContain(token);
    const checked = await desk.run(['check', 'AB123CD', '--json']);
    expect(checked.code).toBe(0);
    expect(JSON.parse(checked.out).municipality.code).toBe('H501');
  });

  it('takes the administrator’s token into the same profile from standard input, and refuses what the service does not know', async () => {
    const args = ['login', '--profile', 'roma', '--url', service.address, '--stdin'];
    const wrong = await desk.run(args, { input: 'not-the-administrator-of-anything' });
    expect(wrong.code).toBe(1);
    const right = await desk.run(args, { input: `${ADMIN_TOKEN}\n` });
    expect(right.code).toBe(0);
    const { out } = await desk.run(['profiles', '--json']);
    expect(JSON.parse(out)).toEqual([
      {
        ...{ profile: 'roma', is_current: true, url: service.address, municipality: 'H501' },
        secrets: ['access', 'admin'],
      },
    ]);
    expect(out + right.err).not.toContain(ADMIN_TOKEN);
    const removed = await desk.run(['logout', '--profile', 'roma']);
    expect(removed.code).toBe(0);
    expect((await desk.run(['check', 'A1'])).code).toBe(2);
  });
});

describe('Secrets', () => {
  it('are shown to a terminal, once', async () => {
    const { code, out } = await desk.inTerminal(
      ['credential', 'issue', '--tenant', 'acme', '--name', 'Seen', '--scope', 'report', '-m', 'H501'],
      { environment: administrator() },
    );
    expect(code).toBe(0);
    expect(out).toMatch(/access_token +pev_at_[0-9a-f_]+/);
    expect(out).toContain('they are never shown again');
  });
});

describe('The report that is watched', () => {
  it('is drawn in place, and Ctrl-C leaves it there', async () => {
    let stopped = false;
    const { code, out } = await desk.inTerminal(['report', '--watch', '--type', 'street'], {
      environment: operator(),
      watch: (printed, keys) => {
        if (stopped || !printed.includes('total')) return;
        stopped = true;
        keys.type(CTRL_C);
      },
    });
    expect(code).toBe(0);
    expect(out).toContain('\x1b[H\x1b[J');
    expect(stripVTControlCharacters(out)).toMatch(/Roma \(H501\)[\s\S]*total +/);
  });

  it('is printed again and again without a single control character where it is not a terminal', async () => {
    let stopped = false;
    const { code, out } = await asOperator(['report', '--watch', '--type', 'street'], {
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

describe('An import in a terminal', () => {
  it('shows its progress: share, lines and rejected ones', async () => {
    const rows = Array.from({ length: 25_000 }, (_, index) => `t-${index},T${index},S1,2026-03-07 10:00`);
    const file = desk.write('progress.csv', `session_id,plate,area_code,starts_at\n${rows.join('\n')}\n`);
    const { code, out } = await desk.inTerminal(
      ['import', 'sessions', file, '--source', 'app1', '--timezone', 'Europe/Rome'],
      { environment: operator() },
    );
    expect(code).toBe(0);
    const text = stripVTControlCharacters(out);
    expect(text).toMatch(/\d\d %, 10000 lines, 0 rejected/);
    expect(text).toMatch(/created +25000/);
  }, 60_000);
});
