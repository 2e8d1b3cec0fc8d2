import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reasonText } from '../../clients/parking/views/reason-words.ts';
import { ERROR_STATUS } from '../../src/base/errors/error-codes.ts';
import { ACCESS_REASON_CODES } from '../../src/domain/facility-access.ts';
import { SUBSCRIPTION_REASON_CODES } from '../../src/domain/subscription.ts';
import { allCommands, Stage } from './examples.ts';
import { desk, openOffice, service } from './opened-office.ts';
import { sourceFiles } from './text-literals.ts';

openOffice();

const LANG = 'it_IT.UTF-8';

describe('Italian', () => {
  it('is another text than the English one in every message', () => {
    const same = sourceFiles().flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\ben: (['`])(.*?)\1,\s*it: (['`])(.*?)\3/gs)]
        .filter(([, , en, , it]) => en === it && /[a-z]{4}/.test(en ?? ''))
        .map(([, , en]) => en),
    );
    expect(new Set(same)).toEqual(new Set(ALIKE));
  });

  it('has words for every reason and every error code, with the code behind them', () => {
    const codes = [...ACCESS_REASON_CODES, ...SUBSCRIPTION_REASON_CODES, ...Object.keys(ERROR_STATUS)];
    for (const code of codes) {
      expect(reasonText(code, 'it')).toMatch(new RegExp(`^.+ \\(${code}\\)$`));
      expect(reasonText(code, 'it')).not.toBe(reasonText(code, 'en'));
    }
  });

  it('is the language of every help, choices and defaults too', async () => {
    for (const words of allCommands()) {
      const { out } = await desk.run([...words, '--help'], { environment: { LANG } });
      expect(out).not.toMatch(/choices:|default:|required|display help/);
      const { out: english } = await desk.run([...words, '--help']);
      const values = valuesIn(english);
      expect(
        valuesIn(out).filter((value) => values.includes(value) && !VALUES_ALIKE.includes(value)),
      ).toEqual([]);
    }
    const { err: missing } = await desk.run(['session', 'show'], { environment: { LANG } });
    expect(missing).toContain('manca l’argomento: <targa>');
    const { err } = await desk.run(['check', 'A1', '--event', 'stroll'], { environment: { LANG } });
    expect(err).toContain('Valori ammessi: verify, entry, exit');
  });
});

describe('docs/it/ufficio.md', () => {
  it('shows commands that do what it says, as printed', async () => {
    const stage = await Stage.open(desk, service, 'office');
    const page = readFileSync('docs/it/ufficio.md', 'utf8');
    const commands = [...page.matchAll(/```sh\n(.*?)```/gs)]
      .flatMap(([, block = '']) => block.replaceAll('\\\n', '').split('\n'))
      .filter((line) => line.startsWith('parking ') && !line.startsWith('parking login'));
    expect(commands.length).toBeGreaterThan(9);
    await stage.play('parking import subscriptions ended.ndjson', null);
    desk.write(
      'residenti.csv',
      'Elenco;;;;;;\n;;;;;;\nNumero;Targa;Tipo;Stato;Dal;Al;Zone\nL-1;LA111LA;RES;Approvato;01/01/2026;31/12/2026;tutte\n',
    );
    for (const command of commands) {
      const { code, err } = await stage.play(command, null);
      // Without a terminal nobody can be asked: the change was shown, and nothing else was wrong.
      const isAsked = /subscription (renew|add|end)|payment settle|plate erase/.test(command);
      expect({ command, code }, err).toEqual({ command, code: isAsked ? 2 : 0 });
    }
  }, 60_000);
});

/** The names of the values in a help: `<file>`. */
const valuesIn = (help: string): string[] =>
  [...help.matchAll(/[<[]([a-z/-]+)(?:\.{3})?[\]>]/g)].map(([, value = '']) => value);

/** Values that have the same name in both languages. */
const VALUES_ALIKE = ['file', 'id'];

/** Words that both languages have. */
const ALIKE = ['area', 'schema'];
