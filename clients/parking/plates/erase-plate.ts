import { stopOf } from '../failure-advice.ts';
import type { Office } from '../office.ts';
import { interruptedStop, type Stop } from '../stop.ts';
import { Live } from '../terminal/live.ts';
import { confirm } from '../terminal/prompts.ts';
import { fieldLines } from '../terminal/table.ts';
import { gatherLists } from './export-plate.ts';
import { HELD } from './held-words.ts';

/** What was erased so far. */
interface Erased {
  readonly sessions: number;
  readonly subscriptions: number;
  readonly payments: number;
  readonly history: number;
  readonly calls: number;
}

const KINDS = ['sessions', 'subscriptions', 'payments', 'history', 'calls'] as const;
const NOTHING: Erased = { sessions: 0, subscriptions: 0, payments: 0, history: 0, calls: 0 };

/** Erases a plate, call after call until nothing is left. */
export async function erasePlate(
  office: Office,
  holder: { readonly tenant?: string; readonly plate: string },
  unasked: boolean,
): Promise<void> {
  const { terminal, json } = office;
  await warnOfRunning(office, holder);
  if (!unasked) {
    const { plate, tenant } = holder;
    const question = {
      en: `Erase ${plate} of ${tenant ?? 'your tenant'}? It cannot be undone.`,
      it: `Cancellare ${plate} ${tenant === undefined ? 'del proprio ente' : `di ${tenant}`}? Non si può annullare.`,
    };
    await confirm(office, question, plate);
  }
  const erased = await eraseAll(office, holder);
  if (json) {
    terminal.json({ ...holder, erased });
    return;
  }
  const rows = KINDS.map((kind): [string, string] => [
    office.language === 'it' ? HELD[kind][1].it : kind,
    String(erased[kind]),
  ]);
  office.note({
    en: 'Erased, or replaced by a pseudonym:',
    it: 'Cancellati, o sostituiti da uno pseudonimo:',
  });
  for (const line of fieldLines(rows)) terminal.data(line);
}

/** A session that is paid for and erased no longer speaks for its driver. */
async function warnOfRunning(
  office: Office,
  holder: { readonly tenant?: string; readonly plate: string },
): Promise<void> {
  const { sessions } = await gatherLists(office, holder);
  const now = Date.now();
  const isOver = (at: string | null) => at !== null && Date.parse(at) <= now;
  const running = sessions.filter(({ ends_at, cancelled_at }) => !isOver(ends_at) && !isOver(cancelled_at));
  if (running.length === 0) return;
  const ids = running.map(({ session_id, area_code }) => `${session_id} (${area_code})`).join(', ');
  office.note({
    en: `A session of this plate is still running or begins later: ${ids}. Erased, it no longer shows that the driver has paid: the driver may be fined. Better wait until it has ended.`,
    it: `Una sosta di questa targa è ancora in corso o inizia più tardi: ${ids}. Una volta cancellata non dimostra più che è stato pagato: il conducente può essere multato. Meglio attendere che finisca.`,
  });
}

async function eraseAll(office: Office, holder: { tenant?: string; plate: string }): Promise<Erased> {
  const live = new Live(office.terminal, 'stderr');
  let erased = NOTHING;
  try {
    for (;;) {
      const result = await office.client.erasePlate(holder, office.write);
      if (!result.ok) throw unfinishedStop(office, stopOf(result));
      erased = plus(erased, result.answer.erased);
      if (!result.answer.more) return erased;
      if (office.signal.aborted) throw unfinishedStop(office, interruptedStop());
      live.show(office.say({ en: 'Erasing …', it: 'Cancellazione …' }));
    }
  } finally {
    live.clear();
  }
}

function unfinishedStop(office: Office, stop: Stop): Stop {
  office.note({
    en: 'It is not finished: the same command again completes it.',
    it: 'Non è terminata: lo stesso comando ripetuto la completa.',
  });
  return stop;
}

const plus = (a: Erased, b: Erased): Erased => ({
  sessions: a.sessions + b.sessions,
  subscriptions: a.subscriptions + b.subscriptions,
  payments: a.payments + b.payments,
  history: a.history + b.history,
  calls: a.calls + b.calls,
});
