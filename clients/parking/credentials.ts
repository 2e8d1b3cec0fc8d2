import { EXIT } from './exit-codes.ts';
import type { Office } from './office.ts';
import { Stop } from './stop.ts';
import type { Credential } from './views/credential.ts';

const PAGE = 200;

/** All credentials that match, page after page. */
export async function* allCredentials(
  office: Office,
  filter: { readonly tenant?: string; readonly municipality_code?: string },
): AsyncGenerator<Credential, void, void> {
  let after: string | undefined;
  do {
    const page = await office.answer(
      office.client.listCredentials(
        { ...filter, limit: PAGE, ...(after !== undefined && { after }) },
        office.call,
      ),
    );
    yield* page.credentials;
    after = page.next_after ?? undefined;
  } while (after !== undefined);
}

/** @throws Stop when there is no credential of this id */
export async function findCredential(office: Office, id: string): Promise<Credential> {
  for await (const credential of allCredentials(office, {})) {
    if (credential.credential_id === id) return credential;
  }
  throw new Stop(
    EXIT.refused,
    { en: `There is no credential ${id}.`, it: `Non c’è una credenziale ${id}.` },
    { code: 'NOT_FOUND' },
  );
}
