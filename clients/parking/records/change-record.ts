import type { ImportTotals } from '../../client/index.ts';
import type { KindName } from '../../tables/index.ts';
import { EXIT } from '../exit-codes.ts';
import { stopOf } from '../failure-advice.ts';
import { judgeLine } from '../imports/kinds.ts';
import { importMethod } from '../imports/rejections.ts';
import type { Office } from '../office.ts';
import { Stop } from '../stop.ts';
import { confirm } from '../terminal/prompts.ts';
import { shownTime } from '../time/shown-time.ts';
import { changeLines, type RecordLine } from '../views/record.ts';
import type { RecordMunicipality } from './held.ts';

/** One record to be imported. */
export interface Change {
  readonly kind: KindName;
  readonly city: RecordMunicipality;
  /** Of a session. */
  readonly source?: string;
  readonly before: RecordLine | null;
  /** As it will be stored. */
  readonly after: RecordLine;
  /** The line that makes it so. */
  readonly line: RecordLine;
  /** Remarks for the clerk before the answer, in the user's language. */
  readonly warning: string;
  /** The text to type if the change may have effects that are not shown; null: a yes is enough. */
  readonly name: string | null;
  /** Looks the record up again: the question may have waited for a while. */
  readonly lookAgain: () => Promise<RecordLine | null>;
}

/**
 * Shows a record before and after a change, asks, and imports it as one line.
 *
 * @throws Stop if the service would not take it, if it has changed meanwhile, or for a no
 */
export async function changeRecord(office: Office, change: Change, unasked: boolean): Promise<void> {
  const { kind, city, before, after, warning, name } = change;
  const { terminal, json, language } = office;
  requireToken(office);
  const line = JSON.stringify(change.line);
  const trouble = judgeLine(kind, line, city);
  if (trouble !== null) throw new Stop(EXIT.refused, trouble.message, { code: trouble.code });
  // Never ask about a change that was not shown.
  if (!json || !unasked) {
    const shown = changeLines(before, after, language, terminal.paintNote);
    for (const shownLine of shown) terminal.note(shownLine);
    if (warning !== '') terminal.sentence(warning);
  }
  if (!unasked) {
    await confirm(office, { en: 'Import it like this?', it: 'Importarlo così?' }, name);
    if (JSON.stringify(await change.lookAgain()) !== JSON.stringify(before)) throw changedMeanwhile();
  }
  const input = {
    municipality_code: city.code,
    ...(change.source !== undefined && { source_code: change.source }),
  };
  const result = await importMethod(office.client, kind)({ lines: [line] }, input, office.write);
  if (!result.ok) throw stopOf(result);
  requireStored(result.answer, before);
  if (json) terminal.json({ before, after });
  else terminal.data(office.say({ en: 'Done.', it: 'Fatto.' }));
  terminal.note(terminal.paintNote('dim', `request_id ${result.requestId}`));
}

/** Looking up takes the administrator's token, an import the operator's: check both before asking. */
function requireToken(office: Office): void {
  if (office.connection.accessToken !== undefined) return;
  throw stopOf({ ok: false, failure: 'misconfigured', code: 'TOKEN_NOT_SET' });
}

/** @throws Stop if the line had another effect than the one shown */
function requireStored({ errors, created, updated }: ImportTotals, before: RecordLine | null): void {
  const [error] = errors;
  if (error !== undefined) {
    throw new Stop(EXIT.refused, { en: error.message, it: error.message }, { code: error.code });
  }
  if (before === null && updated > 0) throw replacedAnother();
  if (created + updated === 0) throw nothingChanged();
}

/** @throws Stop if the record ends earlier anyway: ending it now would make it longer */
export function requireEarlier(end: string, before: string | null): void {
  if (before === null || Date.parse(end) < Date.parse(before)) return;
  throw new Stop(EXIT.refused, {
    en: `It already ends before that: ${shownTime(before)}. To extend it, import its line.`,
    it: `Per allora è già finito: ${shownTime(before)}. Per prolungarlo, importare la sua riga.`,
  });
}

const changedMeanwhile = () =>
  new Stop(EXIT.refused, {
    en: 'It has changed since it was shown. Nothing was done: run the command again.',
    it: 'È cambiato da quando è stato mostrato. Nulla è stato fatto: ripetere il comando.',
  });

const replacedAnother = () =>
  new Stop(EXIT.refused, {
    en: 'A subscription with this number was stored meanwhile, and this one has replaced it. Import the other again under a number of its own.',
    it: 'Nel frattempo era stato salvato un abbonamento con questo numero: questo lo ha sostituito. Importare di nuovo l’altro con un numero proprio.',
  });

const nothingChanged = () =>
  new Stop(EXIT.refused, {
    en: 'Nothing was changed: the same is stored already, or something newer.',
    it: 'Nulla è cambiato: lo stesso, o qualcosa di più recente, è già salvato.',
  });
