import { rmSync, writeFileSync } from 'node:fs';
import type { Language } from '../../../src/base/text/text.ts';
import type { Answer } from '../../client/index.ts';
import type { Office } from '../office.ts';
import { wrongUsage } from '../stop.ts';
import { counted } from '../terminal/numbers.ts';
import { HELD } from './held-words.ts';

type Page = Answer<'exportPlate'>;
type Lists = Pick<Page, 'sessions' | 'subscriptions' | 'payments' | 'history' | 'calls'>;

const OWNER_ONLY = 0o600;

/** Exports all data of a plate, page after page, as one JSON document: a complete one or none. */
export async function exportPlate(
  office: Office,
  holder: { readonly tenant?: string; readonly plate: string },
  file: string | undefined,
): Promise<void> {
  if (file !== undefined) reserve(file);
  try {
    const lists = await gatherLists(office, holder);
    const document = { ...holder, exported_at: new Date().toISOString(), ...lists };
    if (file === undefined) office.terminal.json(document);
    else writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
    tell(office, lists, file);
  } catch (error) {
    if (file !== undefined) rmSync(file, { force: true });
    throw error;
  }
}

/** All data of a plate in a tenant, page after page. */
export async function gatherLists(
  office: Office,
  holder: { tenant?: string; plate: string },
): Promise<Lists> {
  const lists: Lists = { sessions: [], subscriptions: [], payments: [], history: [], calls: [] };
  let after: string | null = null;
  do {
    const page: Page = await office.answer(
      office.client.exportPlate({ ...holder, ...(after !== null && { after }) }, office.call),
    );
    lists.sessions.push(...page.sessions);
    lists.subscriptions.push(...page.subscriptions);
    lists.payments.push(...page.payments);
    lists.history.push(...page.history);
    lists.calls.push(...page.calls);
    after = page.next;
  } while (after !== null);
  return lists;
}

/** @throws Stop when the file exists, which is never overwritten, or cannot be made */
export function reserve(file: string, content = ''): void {
  try {
    writeFileSync(file, content, { flag: 'wx', mode: OWNER_ONLY });
  } catch {
    throw wrongUsage({
      en: `${file} is there already, or cannot be written.`,
      it: `${file} esiste già, o non è scrivibile.`,
    });
  }
}

function tell(
  office: Office,
  { sessions, subscriptions, payments, history, calls }: Lists,
  file: string | undefined,
): void {
  const said = (language: Language): string =>
    [
      counted(sessions.length, HELD.sessions, language),
      counted(subscriptions.length, HELD.subscriptions, language),
      counted(payments.length, HELD.payments, language),
      counted(history.length, HELD.history, language),
      counted(calls.length, HELD.calls, language),
    ].join(', ');
  const where = file === undefined ? '' : `${file}: `;
  office.note({ en: `${where}${said('en')}.`, it: `${where}${said('it')}.` });
}
