import type { Answer, Result } from '../client/index.ts';
import { stopOf } from './failure.ts';
import type { Office } from './office.ts';
import { OwnFile } from './own-file.ts';
import { EXIT, interruptedStop, Stop, wrongUsage } from './stop.ts';

type Issued = Answer<'issueCredential' | 'rotateCredential'>;

/**
 * Opens a destination for secrets, has them made, and writes them there. In this order: secrets that could not be
 * written would be lost, and a rotation that loses its new pair locks a fleet out.
 *
 * @param file undefined: the terminal
 * @param make the call that makes them, which is never retried
 * @throws Stop where nobody would see them, before they are made
 */
export async function handOver(
  office: Office,
  file: string | undefined,
  make: () => Promise<Result<Issued>>,
): Promise<void> {
  if (file === undefined && !office.terminal.isSeen) {
    throw wrongUsage(
      'The secrets are shown once, and here they would be lost: nothing was issued.',
      'Say --out FILE: they are written there, for you alone. Or run it in a terminal.',
    );
  }
  const place = file === undefined ? null : new OwnFile(file);
  const issued = await made(office, make).catch((error: unknown) => {
    place?.abandon();
    throw error;
  });
  const { success: _, ok: __, request_id: ___, ...kept } = issued;
  try {
    place?.keep(kept);
  } catch {
    throw new Stop(
      EXIT.refused,
      `The secrets were issued, but could not be written to ${file}. Rotate the credential ${issued.credential_id} with another --out.`,
    );
  }
  const { access_token: ____, api_key: _____, ...credential } = issued;
  office.show(file === undefined ? issued : { ...credential, secrets_in: file });
  office.note(
    file === undefined
      ? 'Copy the access token and the API key now: they are never shown again.'
      : `The access token and the API key are in ${file}, which only you can read.`,
  );
}

async function made(office: Office, make: () => Promise<Result<Issued>>): Promise<Issued> {
  if (office.signal.aborted) throw interruptedStop();
  const result = await make();
  if (result.ok) return result.answer;
  // No retry: a second try could make secrets that reach no caller.
  if (result.failure === 'unavailable') {
    office.note(
      'Whether it was done is not known. Look with `parking credential list`: rotate a credential whose new secrets were lost, revoke one that is not needed.',
    );
  }
  throw stopOf(result);
}
