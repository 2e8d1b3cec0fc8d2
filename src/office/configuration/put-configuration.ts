import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import { renewSnapshots } from '../../core/snapshots/refresh.ts';
import { DAY_MS, type Instant, SECOND_MS } from '../../domain/instant.ts';
import type { Call } from '../../serving/call.ts';
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
  for (let tried = 1; ; tried += 1) {
    try {
      return await judgeAndStore(c, document, isDryRun, version);
    } catch (error) {
      if (!isConflict(error) || tried === MAX_TRIES) throw error;
    }
  }
}

async function judgeAndStore(
  c: Call,
  document: ConfigurationDocument,
  isDryRun: boolean,
  version: Instant | undefined,
): Promise<ConfigurationChanged> {
  const { tenants = [], municipalities = [] } = document;
  const codes = municipalities.map(({ code }) => code);
  const stored = await readConfiguration(
    c.env.DB,
    {
      tenants: [...tenants.map(({ code }) => code), ...municipalities.flatMap(({ tenant }) => tenant ?? [])],
      municipalities: codes,
    },
    c.get('now'),
  );
  const about = [...stored.municipalities.values()].map(({ whole }) => whole.tenant);
  noteAbout(c.get('log'), { tenants: [...namedTenants(document), ...about], municipalities: codes });

  const { mayChangeAll } = await c.get('bounds');
  const { issues, items, municipalities: whole } = mergeConfiguration(document, stored, mayChangeAll);
  const restoring = municipalities.flatMap(({ code }, index) =>
    stored.municipalities.get(code)?.isRestoring
      ? [{ path: `municipalities.${index}`, message: RESTORING }]
      : [],
  );
  if (issues.length + restoring.length > 0) refuseFields([...restoring, ...issues]);
  if (version !== undefined && codes.some((code) => stored.municipalities.get(code)?.version !== version)) {
    refuse('CONFIGURATION_CONFLICT');
  }

  const changed = new Set(items.filter(isChanged).map(({ municipality }) => municipality));
  if (!isDryRun && changed.size > 0) {
    const changedWhole = whole.filter(({ code }) => changed.has(code));
    refuseTooOften(
      changedWhole.flatMap(({ code }) => stored.municipalities.get(code) ?? []),
      c.get('now'),
    );
    await writeConfiguration(c.env.DB, stored, items, changedWhole, {
      requestId: c.get('requestId'),
      now: clockNow(),
    });
    await renewSnapshots(c.env, codes, c.get('now'), (work) => c.executionCtx.waitUntil(work));
  }
  return changesOf(items);
}

/** The tenants that a document names. */
export const namedTenants = ({ tenants = [], municipalities = [] }: ConfigurationDocument): string[] => [
  ...tenants.map(({ code }) => code),
  ...municipalities.flatMap(({ tenant }) => tenant ?? []),
];

/** Of one municipality per UTC day, since each stores all of it. */
const MAX_DAILY_CHANGES = 200;

function refuseTooOften(municipalities: readonly { readonly changesToday: number }[], now: Instant): void {
  if (municipalities.every(({ changesToday }) => changesToday < MAX_DAILY_CHANGES)) return;
  const seconds = Math.ceil((DAY_MS - (now % DAY_MS)) / SECOND_MS);
  refuse('RATE_LIMIT_EXCEEDED', { message: TOO_OFTEN, headers: { 'Retry-After': String(seconds) } });
}

const NOT_OF_ONE = {
  en: 'needs a document of exactly one municipality: put each by itself, or leave the version out (in a printed file the line # version:)',
  it: 'richiede un documento con un solo comune: inviarne uno alla volta, o omettere la versione (in un file stampato la riga # version:)',
};
const RESTORING = {
  en: 'the municipality is being restored: finish that first, or discard it',
  it: 'il ripristino del comune è in corso: completarlo o eliminarlo prima',
};
const TOO_OFTEN = {
  en: `The configuration of a municipality was changed ${MAX_DAILY_CHANGES} times today (UTC).`,
  it: `La configurazione di un comune è stata cambiata ${MAX_DAILY_CHANGES} volte oggi (UTC).`,
};
