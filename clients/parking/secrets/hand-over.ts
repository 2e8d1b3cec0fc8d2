import type { Answer, Result } from '../../client/index.ts';
import { stopOf } from '../failure-advice.ts';
import type { Office } from '../office.ts';
import { interruptedStop } from '../stop.ts';
import { credentialLines } from '../views/credential.ts';
import { secretPlace } from './secret-place.ts';

type Issued = Answer<'issueCredential' | 'rotateCredential'>;

/**
 * Opens a destination for secrets, has them made, and writes them there.
 *
 * @param make the call that makes them, which is never retried
 */
export async function handOver(
  office: Office,
  file: string | undefined,
  make: () => Promise<Result<Issued>>,
): Promise<void> {
  const place = secretPlace(office, file);
  if (office.signal.aborted) {
    place.abandon();
    throw interruptedStop();
  }
  const result = await madeOr(place.abandon, make);
  if (!result.ok) {
    place.abandon();
    if (result.failure === 'unavailable') office.note(PERHAPS_MADE);
    throw stopOf(result);
  }
  const { success: _, ok: __, request_id, ...issued } = result.answer;
  place.keep(issued.credential_id, issued);
  const { access_token, api_key, ...credential } = issued;
  const { terminal, json, language } = office;
  const shown = place.file === null ? { access_token, api_key } : {};
  if (json) {
    terminal.json({ ...credential, ...shown, ...(place.file !== null && { secrets_in: place.file }) });
  } else {
    for (const line of credentialLines({ ...credential, ...shown }, language, terminal.paint.columns))
      terminal.data(line);
  }
  tellWhere(office, place.file);
  terminal.note(terminal.paintNote('dim', `request_id ${request_id}`));
}

/** Leaves no empty file behind where no call was made: without a profile, there is no service. */
async function madeOr<T>(abandon: () => void, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    abandon();
    throw error;
  }
}

/** No retry: a second try could make secrets that reach no caller. */
const PERHAPS_MADE = {
  en: 'Whether it was done is not known. Look with `parking credential list`: rotate a credential whose new secrets were lost, revoke one that is not needed.',
  it: 'Non si sa se sia stato fatto. Controllare con `parking credential list`: ruotare una credenziale di cui nessuno ha i nuovi segreti, revocare quella che non serve.',
};

function tellWhere(office: Office, file: string | null): void {
  if (file === null) {
    office.note({
      en: 'Copy the access token and the API key now: they are never shown again.',
      it: 'Copiare ora il token di accesso e la chiave API: non verranno più mostrati.',
    });
  } else {
    office.note({
      en: `The access token and the API key are in ${file}, which only you can read.`,
      it: `Il token di accesso e la chiave API sono in ${file}, che solo tu puoi leggere.`,
    });
  }
}
