import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';
import { interruptedStop } from '../stop.ts';
import { Live } from '../terminal/live.ts';
import { type Counted, counted } from '../terminal/numbers.ts';

const COMPARED: Counted = [
  { en: 'credential compared', it: 'credenziale confrontata' },
  { en: 'credentials compared', it: 'credenziali confrontate' },
];
const CORRECTED: Counted = [
  { en: 'row corrected', it: 'riga corretta' },
  { en: 'rows corrected', it: 'righe corrette' },
];

export function credentialReconcileCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'reconcile',
    {
      en: 'Compare all credentials with their objects and correct their rows: after the database was restored.',
      it: 'Confronta tutte le credenziali con i loro oggetti e ne corregge le righe: dopo un ripristino del database.',
    },
    ['parking credential reconcile'],
  ).action(async () => {
    const sum = await reconcileAll(office);
    const { terminal, language, json } = office;
    if (json) terminal.json(sum);
    else
      terminal.data(
        `${counted(sum.checked, COMPARED, language)}, ${counted(sum.mended, CORRECTED, language)}`,
      );
  });
}

/** Calls until all are compared. Each call compares some, and continues where the last one ended. */
async function reconcileAll(office: Office): Promise<{ checked: number; mended: number }> {
  const live = new Live(office.terminal, 'stderr');
  let [checked, mended] = [0, 0];
  try {
    for (;;) {
      const part = await office.answer(office.client.reconcileCredentials({}, office.write));
      checked += part.checked;
      mended += part.mended;
      if (part.done) return { checked, mended };
      if (office.signal.aborted) throw interruptedStop();
      live.show(counted(checked, COMPARED, office.language));
    }
  } finally {
    live.clear();
  }
}
