import type { Answer } from '../../client/index.ts';
import { confirm } from '../ask.ts';
import { type AnyCommand, commandOf, given, PLATE, TENANT, yesOption } from '../command.ts';
import { stopOf } from '../failure.ts';
import type { Office } from '../office.ts';
import { OwnFile } from '../own-file.ts';
import { interruptedStop, type Stop } from '../stop.ts';

type Page = Answer<'exportPlate'>;
type Lists = Pick<Page, (typeof KINDS)[number]>;
type Holder = { readonly tenant?: string; readonly plate: string };

const KINDS = ['sessions', 'subscriptions', 'payments', 'history', 'calls'] as const;

export const exportCommand = (office: Office): AnyCommand =>
  commandOf(
    'export',
    'Export all that is held of a plate, as one JSON document. It takes an office’s token.',
    ['parking plate export AB123CD --out ab123cd.json'],
  )
    .argument('<plate>', PLATE)
    .option('--tenant <code>', TENANT)
    .option('-o, --out <file>', 'write it there (mode 600), not to standard output')
    .action((plate, { tenant, out }) => exportPlate(office, { plate, ...given({ tenant }) }, out));

export const eraseCommand = (office: Office): AnyCommand =>
  commandOf('erase', 'Erase a plate, after asking. It cannot be undone. It takes an office’s token.', [
    'parking plate erase AB123CD',
  ])
    .argument('<plate>', PLATE)
    .option('--tenant <code>', TENANT)
    .addOption(yesOption())
    .action((plate, { tenant, yes }) => erasePlate(office, { plate, ...given({ tenant }) }, yes));

/** Exports all data of a plate: a complete document or none. */
async function exportPlate(office: Office, holder: Holder, file: string | undefined): Promise<void> {
  const { terminal } = office;
  const place = file === undefined ? null : new OwnFile(file);
  try {
    const lists = await listsOf(office, holder);
    const document = { ...holder, exported_at: new Date().toISOString(), ...lists };
    if (place === null) terminal.json(document);
    else place.keep(document);
    const counts = KINDS.map((kind) => `${lists[kind].length} ${kind}`).join(', ');
    office.note(`${file === undefined ? '' : `${file}: `}${counts}.`);
  } catch (error) {
    place?.abandon();
    throw error;
  }
}

/** All data of a plate in a tenant. */
async function listsOf(office: Office, holder: Holder): Promise<Lists> {
  const lists: Lists = { sessions: [], subscriptions: [], payments: [], history: [], calls: [] };
  const found = office.pages(
    (cursor) => office.client.exportPlate({ ...holder, ...cursor }, office.call),
    ({ next }) => next,
  );
  for await (const page of found) {
    lists.sessions.push(...page.sessions);
    lists.subscriptions.push(...page.subscriptions);
    lists.payments.push(...page.payments);
    lists.history.push(...page.history);
    lists.calls.push(...page.calls);
  }
  return lists;
}

/** Erases a plate, call after call until nothing is left. */
async function erasePlate(office: Office, holder: Holder, unasked: boolean): Promise<void> {
  const { plate, tenant = 'your tenant' } = holder;
  await confirm(
    office,
    unasked,
    `Erase ${plate} of ${tenant}? It cannot be undone. A session that still runs no longer shows that its driver has paid.`,
    plate,
  );
  const erased: Record<string, number> = {};
  for (let after: string | null = null; ; ) {
    const result = await office.client.erasePlate({ ...holder, ...(after !== null && { after }) });
    if (!result.ok) throw unfinished(office, stopOf(result));
    for (const [kind, count] of Object.entries(result.answer.erased))
      erased[kind] = (erased[kind] ?? 0) + count;
    after = result.answer.next;
    if (after === null) break;
    if (office.signal.aborted) throw unfinished(office, interruptedStop());
  }
  office.show({ ...holder, erased });
}

function unfinished(office: Office, stop: Stop): Stop {
  office.note('It is not finished: the same command again completes it.');
  return stop;
}
