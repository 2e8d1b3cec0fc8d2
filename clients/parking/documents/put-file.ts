import type { Input } from '../../client/index.ts';
import { stopOf } from '../failure-advice.ts';
import type { Office } from '../office.ts';
import { confirm } from '../terminal/prompts.ts';
import { compareFile, wrongDocument } from './compare-file.ts';
import { differenceLines } from './diff-text.ts';
import { sumWords } from './sum-words.ts';

/**
 * Puts a document after showing what it changes.
 *
 * @param unasked whether to do it without asking
 */
export async function putFile(office: Office, name: string, unasked: boolean): Promise<void> {
  const { terminal, language, json } = office;
  const { file, difference } = await compareFile(office, name);
  // Nobody is asked about what they have not seen.
  if (!json || !unasked) {
    const paint = terminal.paintNote.bind(terminal);
    for (const line of differenceLines(difference, language, paint)) terminal.note(line);
  }
  if (difference.items.length > 0 && !unasked) {
    await confirm(office, { en: 'Put this document?', it: 'Scrivere questo documento?' });
  }
  // Compared and found valid: the service's own schemas have read it.
  const document = file.value as Input<'putConfiguration'>;
  const result = await office.client.putConfiguration(document, office.write);
  if (!result.ok) {
    if (result.issues === undefined) throw stopOf(result);
    throw wrongDocument(file, file.locate(result.issues), result.requestId);
  }
  const { answer } = result;
  if (json) {
    terminal.json(answer);
    return;
  }
  terminal.data(
    office.say({
      en: `Done: ${sumWords(answer, 'en')}.`,
      it: `Fatto: ${sumWords(answer, 'it')}.`,
    }),
  );
  terminal.note(terminal.paintNote('dim', `request_id ${answer.request_id}`));
}
