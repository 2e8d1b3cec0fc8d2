import { confirm as ask, text as askText, isCancel, password } from '@clack/prompts';
import type { Text } from '../../../src/text/text.ts';
import { EXIT } from '../exit-codes.ts';
import type { Office } from '../office.ts';
import { interrupted, Stop, wrongUsage } from '../stop.ts';

/**
 * Asks before something is done.
 *
 * @throws Stop when the answer is no, or nobody is there to answer
 */
export async function confirm(office: Office, question: Text): Promise<void> {
  if (!office.terminal.canAsk) {
    throw wrongUsage({
      en: 'Nobody is there to answer: say --yes to do it without asking. Nothing was changed.',
      it: 'Nessuno può rispondere: indicare --yes per procedere senza conferma. Nulla è stato cambiato.',
    });
  }
  const answer = await ask({
    ...streamsOf(office),
    message: office.say(question),
    active: office.say({ en: 'Yes', it: 'Sì' }),
    inactive: 'No',
    initialValue: false,
  });
  if (isCancel(answer)) throw interrupted();
  if (!answer) throw new Stop(EXIT.refused, { en: 'Nothing was changed.', it: 'Nulla è stato cambiato.' });
}

/** Asks for a text that may be seen. */
export async function askFor(office: Office, question: Text, initial: string | undefined): Promise<string> {
  const answer = await askText({
    ...streamsOf(office),
    message: office.say(question),
    ...(initial !== undefined && { initialValue: initial }),
  });
  if (isCancel(answer)) throw interrupted();
  return (answer ?? '').trim();
}

/** Asks for a text that nobody may see. */
export async function askSecret(office: Office, question: Text): Promise<string> {
  const answer = await password({ ...streamsOf(office), message: office.say(question) });
  if (isCancel(answer)) throw interrupted();
  return (answer ?? '').trim();
}

/** Questions go to standard error: standard output is for data. */
const streamsOf = ({ terminal, signal }: Office) => ({
  input: terminal.stdin,
  output: terminal.stderr,
  signal,
});
