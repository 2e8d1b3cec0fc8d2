import { text as askText, isCancel, password } from '@clack/prompts';
import type { Text } from '../../../src/base/text/text.ts';
import { EXIT } from '../exit-codes.ts';
import type { Office } from '../office.ts';
import { interruptedStop, Stop, wrongUsage } from '../stop.ts';
import { harmless, printed } from './door.ts';

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
  const answer = await askText({
    ...streamsOf(office),
    message: question.map((line) => printed(office.say(line))).join('\n'),
    ...(initial !== undefined && { initialValue: printed(initial) }),
  });
  if (isCancel(answer)) throw interruptedStop();
  return (answer ?? '').trim();
}

/** Asks for a text that is not shown. */
export async function askSecret(office: Office, question: Text): Promise<string> {
  const answer = await password({ ...streamsOf(office), message: printed(office.say(question)) });
  if (isCancel(answer)) throw interruptedStop();
  return (answer ?? '').trim();
}

/** Questions go to standard error: standard output is for data. */
const streamsOf = ({ terminal, signal }: Office) => ({
  input: terminal.stdin,
  output: terminal.stderr,
  signal,
});
