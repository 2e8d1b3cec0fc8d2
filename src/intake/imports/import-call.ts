import { refuse } from '../../base/errors/refusal.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import type { Text } from '../../base/text/text.ts';
import { IMPORT_ENDS_WITHIN_MS, MAX_IMPORTS_AN_ISOLATE } from '../../domain/import-bounds.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { askObject } from '../../serving/access/credential-objects.ts';
import type { Grant } from '../../serving/access/grant.ts';
import { succeed } from '../../serving/answer.ts';
import type { Call } from '../../serving/call.ts';
import type { Keyed } from './line-statements.ts';
import type { Import } from './run-import.ts';

/** How soon another try is worth it, in seconds. */
const BUSY_FOR_SECONDS = 5;

const REFUSED: Readonly<Record<'under_way' | 'used_up', Text>> = {
  under_way: {
    en: 'Another import of this credential is under way: send the file again when it has ended.',
    it: 'È in corso un’altra importazione di questa credenziale: inviare di nuovo il file quando è finita.',
  },
  used_up: {
    en: 'The credential has stored all changes of its day (UTC): wait as long as Retry-After says.',
    it: 'La credenziale ha già salvato tutte le modifiche della sua giornata (UTC): attendere quanto indicato da Retry-After.',
  },
};

/** When the imports of an isolate began, by the ids of their calls. */
class ImportsUnderWay extends Map<string, Instant> {}

/**
 * Imports a call's lines within the bounds of its credential and of this isolate, and answers. The import goes on where its client
 * has gone, so that its end is recorded.
 *
 * @throws Refusal `RATE_LIMIT_EXCEEDED` beside another of the credential, and past its day's changes; `BUSY` beside two others
 */
export async function importWithinBounds(
  c: Call,
  { credentialId }: Grant,
  lines: Pick<Import<Keyed>, 'run' | 'stored'>,
): Promise<Response> {
  const { env } = c;
  const requestId = c.get('requestId');
  const begun = await askObject(env, credentialId, async (object) => object.beginImport(requestId));
  if (begun !== 'begun') {
    refuse('RATE_LIMIT_EXCEEDED', {
      message: REFUSED[begun.refused],
      headers: { 'Retry-After': String(begun.retryAfterSeconds) },
    });
  }
  const importFile = async () => {
    try {
      return await besideOthers(c, () => lines.run());
    } finally {
      await endImport(env, credentialId, requestId, lines.stored);
    }
  };
  const importing = importFile();
  c.executionCtx.waitUntil(importing.catch(() => {}));
  return succeed(c, await importing);
}

/** @throws Refusal `BUSY` */
async function besideOthers<T>(c: Call, work: () => Promise<T>): Promise<T> {
  const underWay = c.get('isolate').get(ImportsUnderWay);
  const [id, now] = [c.get('requestId'), c.get('now')];
  // One whose client has gone may never come to its end.
  const others = [...underWay.values()].filter((begunAt) => now - begunAt < IMPORT_ENDS_WITHIN_MS);
  if (others.length >= MAX_IMPORTS_AN_ISOLATE) {
    refuse('BUSY', { headers: { 'Retry-After': String(BUSY_FOR_SECONDS) } });
  }
  underWay.set(id, now);
  return work().finally(() => underWay.delete(id));
}

/** An object that cannot be reached counts the import as ended after two minutes. */
const endImport = (env: Env, credentialId: string, requestId: string, stored: number): Promise<void> =>
  askObject(env, credentialId, async (object) => object.endImport(requestId, stored)).catch(
    (error: unknown) =>
      logEvent('warn', 'import_not_ended', { credential_id: credentialId, message: errorMessage(error) }),
  );
