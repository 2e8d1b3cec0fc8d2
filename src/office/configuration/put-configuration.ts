import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import { renewSnapshots } from '../../core/snapshots/refresh.ts';
import { DAY_MS, type Instant, SECOND_MS } from '../../domain/instant.ts';
import type { Call } from '../../serving/call.ts';
import { retry } from '../../storage/db/retry.ts';
import { noteAbout } from '../administration/trail.ts';
import { changesOf, isChanged } from './changes.ts';
import { isConflict, readConfiguration, writeConfiguration } from './configuration-table.ts';
import type { ConfigurationChanged, ConfigurationDocument } from './contract.ts';
import { mergeConfiguration } from './merge.ts';

/** Two people rarely change one city at once, so a few tries are enough. */
const MAX_TRIES = 5;

/**
 * Puts a document in one transaction, and renews the snapshots of changed municipalities. If another document is stored
 * meanwhile, this one is judged again by the new state.
 *
 * @param isDryRun whether nothing is stored
 * @param version that the document's one municipality must still have
 * @throws Refusal `INVALID_REQUEST` with every issue; `CONFIGURATION_CONFLICT`; `RATE_LIMIT_EXCEEDED`
 */
export async function putConfiguration(
  c: Call,
  document: ConfigurationDocument,
  isDryRun: boolean,
  version: Instant | undefined,
): Promise<ConfigurationChanged> {
  if (version !== undefined && document.municipalities?.length !== 1) {
    refuseFields([{ path: 'version', message: NOT_OF_ONE }]);
  }
  return retry(() => judgeAndStore(c, document, isDryRun, version), MAX_TRIES, isConflict);
}

async function judgeAndStore(
  c: Call,
  document: ConfigurationDocument,
  isDryRun: boolean,
  version: Instant | undefined,
): Promise<ConfigurationChanged> {
  const [named, now] = [codesIn(document), c.get('now')];
  const stored = await readConfiguration(c.env.DB, named, now);
  const owners = [...stored.municipalities.values()].map(({ tenant }) => tenant);
  noteAbout(c.get('log'), { ...named, tenants: [...named.tenants, ...owners] });

  const { mayChangeAll } = await c.get('bounds');
  const { issues, items, changed } = mergeConfiguration(document, stored, mayChangeAll);
  if (issues.length > 0) refuseFields(issues);
  const found = (code: string) => stored.municipalities.get(code);
  if (version !== undefined && named.municipalities.some((code) => found(code)?.version !== version)) {
    refuse('CONFIGURATION_CONFLICT');
  }
  if (!isDryRun && items.some(isChanged)) {
    if (changed.some(({ code }) => (found(code)?.changesToday ?? 0) >= MAX_DAILY_CHANGES)) {
      const headers = { 'Retry-After': String(Math.ceil((DAY_MS - (now % DAY_MS)) / SECOND_MS)) };
      refuse('RATE_LIMIT_EXCEEDED', { message: TOO_OFTEN, headers });
    }
    await writeConfiguration(c.env.DB, stored, items, changed, {
      requestId: c.get('requestId'),
      now: clockNow(),
    });
    await renewSnapshots(c, named.municipalities);
  }
  return changesOf(items);
}

/** The codes that a document names. */
export const codesIn = ({ tenants = [], municipalities = [] }: ConfigurationDocument) => ({
  tenants: [...tenants.map(({ code }) => code), ...municipalities.flatMap(({ tenant }) => tenant ?? [])],
  municipalities: municipalities.map(({ code }) => code),
});

/** Of one municipality per UTC day, since each stores all of it. */
const MAX_DAILY_CHANGES = 200;

const NOT_OF_ONE = {
  en: 'needs a document of exactly one municipality: put each by itself, or leave the version out (in a printed file the line # version:)',
  it: 'richiede un documento con un solo comune: inviarne uno alla volta, o omettere la versione (in un file stampato la riga # version:)',
};
const TOO_OFTEN = {
  en: `The configuration of a municipality was changed ${MAX_DAILY_CHANGES} times today (UTC).`,
  it: `La configurazione di un comune è stata cambiata ${MAX_DAILY_CHANGES} volte oggi (UTC).`,
};
