import { text as askText, password } from '@clack/prompts';
import type { Text } from '../../../src/base/text/text.ts';
import { EXIT } from '../exit-codes.ts';
import type { Office } from '../office.ts';
import { interruptedStop, Stop, wrongUsage } from '../stop.ts';
import { harmless, printed } from './door.ts';
import type { Terminal } from './terminal.ts';

const YES = ['y', 'yes', 's', 'sì', 'si'];

/**
 * Asks for confirmation. The answer is typed out, so that a stray key does not count.
 *
 * @param name to be typed before an action that cannot be undone; null: a yes is enough
 * @throws Stop when the answer is no, or there is no terminal
 */
export async function confirm(office: Office, question: Text, name: string | null): Promise<void> {
  if (!office.terminal.canAsk) {
    throw wrongUsage({
      en: 'There is no terminal to ask on: pass --yes to go ahead without being asked. Nothing was changed.',
      it: 'Nessuno può rispondere: indicare --yes per procedere senza conferma. Nulla è stato cambiato.',
    });
  }
  // The text to type is the one on the screen.
  const typed = name === null ? null : harmless(name);
  const how: Text =
    typed === null
      ? { en: 'Type yes to do it.', it: 'Scrivere sì per procedere.' }
      : { en: `Type ${typed} to do it.`, it: `Scrivere ${typed} per procedere.` };
  const answer = await askFor(office, [question, how], undefined);
  if (typed === null ? YES.includes(answer.toLowerCase()) : answer === typed) return;
  throw new Stop(EXIT.refused, { en: 'Nothing was changed.', it: 'Nulla è stato cambiato.' });
}

/** Asks for a text that is shown. */
export async function askFor(
  office: Office,
  question: readonly Text[],
  initial: string | undefined,
): Promise<string> {
  return answerOf(office, (streams) =>
    askText({
      ...streams,
      message: question.map((line) => printed(office.say(line))).join('\n'),
      ...(initial !== undefined && { initialValue: printed(initial) }),
    }),
  );
}

/** Asks for a text that is not shown. */
export async function askSecret(office: Office, question: Text): Promise<string> {
  return answerOf(office, (streams) => password({ ...streams, message: printed(office.say(question)) }));
}

interface Prompting {
  readonly input: Terminal['stdin'];
  readonly output: Terminal['stderr'];
  readonly signal: AbortSignal;
}

/**
 * Questions go to standard error: standard output is for data. Ctrl-D and a closed terminal cancel a question
 * as Ctrl-C does: the library only stops reading then, and its promise never settles.
 */
async function answerOf(
  { terminal, signal }: Office,
  ask: (streams: Prompting) => Promise<string | symbol | undefined>,
): Promise<string> {
  const input = terminal.stdin;
  const closed = new AbortController();
  const close = () => closed.abort();
  const closeOnCtrlD = (_: unknown, key: { readonly ctrl?: boolean; readonly name?: string } | undefined) => {
    if (key?.ctrl === true && key.name === 'd') close();
  };
  input.on('end', close).on('close', close).on('keypress', closeOnCtrlD);
  try {
    const answer = await ask({
      input,
      output: terminal.stderr,
      signal: AbortSignal.any([signal, closed.signal]),
    });
    if (typeof answer === 'symbol') throw interruptedStop();
    return (answer ?? '').trim();
  } finally {
    input.off('end', close).off('close', close).off('keypress', closeOnCtrlD);
  }
}
