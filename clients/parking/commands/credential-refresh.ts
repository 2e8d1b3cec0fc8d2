import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';
import { interruptedStop } from '../stop.ts';
import { type Counted, counted } from '../terminal/numbers.ts';

const WRITTEN: Counted = [
  { en: 'row written again', it: 'riga riscritta' },
  { en: 'rows written again', it: 'righe riscritte' },
];

export function credentialRefreshCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'refresh',
    {
      en: 'Write the rows of these credentials again, or of all that are listed: after the database was restored.',
      it: 'Riscrive le righe di queste credenziali, o di tutte quelle elencate: dopo un ripristino del database.',
    },
    ['parking credential refresh', 'parking credential refresh 0123456789abcdef01234567'],
  )
    .argument('[id...]', office.say({ en: 'ids of credentials', it: 'identificativi di credenziali' }))
    .action(async (ids) => {
      const written = await refresh(office, ids.length > 0 ? ids : await listedIds(office));
      const { terminal, language, json } = office;
      if (json) terminal.json({ written });
      else terminal.data(counted(written, WRITTEN, language));
    });
}

async function listedIds(office: Office): Promise<readonly string[]> {
  const { allCredentials } = await import('../credentials.ts');
  const ids: string[] = [];
  for await (const { credential_id } of allCredentials(office, {})) ids.push(credential_id);
  return ids;
}

/** A change of nothing has the credential's object write its row. */
async function refresh(office: Office, ids: readonly string[]): Promise<number> {
  let written = 0;
  for (const credential_id of ids) {
    if (office.signal.aborted) throw interruptedStop();
    await office.answer(office.client.changeCredential({ credential_id }, office.write));
    written += 1;
  }
  return written;
}
