import { refuse } from '../../base/errors/refusal.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import type { Text } from '../../base/text/text.ts';
import { IMPORT_ENDS_WITHIN_MS, MAX_IMPORTS_AN_ISOLATE } from '../../domain/import-bounds.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { askObject } from '../../serving/access/credential-objects.ts';
import type { Grant } from '../../serving/access/grant.ts';
import type { Call } from '../../serving/call.ts';

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

/** The imports of an isolate. */
class ImportsUnderWay {
  #begunAt: readonly Instant[] = [];

  /** @throws Refusal `BUSY` beside two others */
  async run<T>(begunAt: Instant, work: () => Promise<T>): Promise<T> {
    const others = this.#begunAt.filter((at) => begunAt - at < IMPORT_ENDS_WITHIN_MS);
    if (others.length >= MAX_IMPORTS_AN_ISOLATE) {
      refuse('BUSY', { headers: { 'Retry-After': String(BUSY_FOR_SECONDS) } });
    }
    this.#begunAt = [...others, begunAt];
    try {
      return await work();
    } finally {
      const index = this.#begunAt.indexOf(begunAt);
      this.#begunAt = this.#begunAt.filter((_, at) => at !== index);
    }
  }
}

/** What an import has stored so far. */
export interface Progress {
  stored: number;
}

/**
 * Does the work of an import within the bounds of its credential and of this isolate. The work goes on where its client has
 * gone, so that its end is recorded.
 *
 * @throws Refusal `RATE_LIMIT_EXCEEDED` beside another of the credential, and past its day's changes; `BUSY` beside two others
 */
export async function importWithinBounds<T>(
  c: Call,
  { credentialId }: Grant,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const { env } = c;
  const begun = await askObject(env, credentialId, async (object) => object.beginImport());
  if ('refused' in begun) {
    refuse('RATE_LIMIT_EXCEEDED', {
      message: REFUSED[begun.refused],
      headers: { 'Retry-After': String(begun.retryAfterSeconds) },
    });
  }
  const progress: Progress = { stored: 0 };
  const underWay = c.get('isolate').get(ImportsUnderWay);
  const importing = underWay
    .run(c.get('now'), () => work(progress))
    .finally(() => endImport(env, credentialId, begun.begunAt, progress.stored));
  c.executionCtx.waitUntil(importing.catch(() => {}));
  return importing;
}

/** An object that cannot be reached counts the import as ended after two minutes. */
const endImport = (env: Env, credentialId: string, begunAt: Instant, stored: number): Promise<void> =>
  askObject(env, credentialId, async (object) => object.endImport(begunAt, stored)).catch((error: unknown) =>
    logEvent('warn', 'import_not_ended', { credential_id: credentialId, message: errorMessage(error) }),
  );
