import type { Input } from '../../client/index.ts';
import { stopOf } from '../failure-advice.ts';
import type { Office } from '../office.ts';
import { confirm } from '../terminal/prompts.ts';
import { compareFile, wrongDocument } from './compare-file.ts';
import type { Difference } from './diff.ts';
import { differenceLines, summaryLines } from './diff-text.ts';
import { sumWords } from './sum-words.ts';

/** The longest difference that a person reads before they answer. A longer one is summed up. */
const MAX_LINES = 60;

/**
 * Puts a document after showing its changes.
 *
 * @param yes whether to do it without asking
 * @param full whether to show every item, however many there are
 */
export async function putFile(
  office: Office,
  name: string,
  { yes, full }: { readonly yes?: true | undefined; readonly full?: true | undefined },
): Promise<void> {
  const { terminal, json } = office;
  const { file, difference } = await compareFile(office, name);
  // Never ask about a change that was not shown.
  if (!json || !yes) showDifference(office, difference, full === true);
  if (difference.items.length > 0 && !yes) {
    await confirm(office, { en: 'Put this document?', it: 'Scrivere questo documento?' }, null);
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

function showDifference({ terminal, language }: Office, difference: Difference, full: boolean): void {
  const paint = terminal.paintNote;
  const lines = differenceLines(difference, language, paint);
  if (full || lines.length <= MAX_LINES) {
    for (const line of lines) terminal.note(line);
    return;
  }
  for (const line of summaryLines(difference, language, paint)) terminal.note(line);
  const everyItem = {
    en: 'Every item: --full, or parking config diff.',
    it: 'Ogni elemento: --full, oppure parking config diff.',
  };
  terminal.note(everyItem[language]);
}
