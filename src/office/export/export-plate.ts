import { UnreadError } from '../../base/errors/unread.ts';
import type { Language } from '../../base/text/text.ts';
import { presentFound } from '../../core/recorded-payments/present.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { read } from '../../storage/db/batch.ts';
import type { Holder } from '../administration/holders-table.ts';
import { presentCall } from '../administration/logged-call.ts';
import { presentSession, presentSubscription, presentVersion } from '../history/history.ts';
import { type PlateVersion, type VersionRows, versionsOf } from '../history/versions.ts';
import { MAX_VERSIONS, PLATE_VERSIONS } from '../history/versions-table.ts';
import type { ExportAnswer } from './contract.ts';
import { CALLS, HOLDING, MAX_CALLS, PAYMENTS } from './export-table.ts';
import { Page } from './page.ts';

/** Calls come behind the lists of all municipalities. */
const CALLS_AT = [Number.MAX_SAFE_INTEGER, 0] as const;

/**
 * Exports a tenant's data about a plate, municipality by municipality: at most a thousand items, and no more than fit into an
 * answer; `next` continues.
 *
 * @throws Refusal `INVALID_REQUEST` for an invalid `after`
 * @throws UnreadError for a plate that has more versions in a municipality than are read
 */
export async function exportPlate(
  { DB }: Env,
  { plate, tenant, municipalities, digests }: Holder,
  after: string | null,
  language: Language,
): Promise<ExportAnswer> {
  const page = new Page(after);
  const [fromMunicipality, , position] = page.from;
  const [holding, calls] = await read(DB, [HOLDING, CALLS], {
    ...{ plate, tenant, digests: JSON.stringify(digests) },
    ids: JSON.stringify(municipalities.map(({ id }) => id).filter((id) => id >= fromMunicipality)),
    from: fromMunicipality === CALLS_AT[0] ? position : 0,
  });
  const answer: ExportAnswer = {
    ...{ sessions: [], subscriptions: [], history: [], payments: [], calls: [] },
    next: null,
  };
  for (const municipality of holding) {
    if (page.isFull) break;
    const { id, code: municipality_code, timeZone } = municipality;
    const [payments, ...versions] = await read(DB, [PAYMENTS, ...PLATE_VERSIONS], {
      municipalityId: id,
      plate,
    });
    if ([payments, ...versions].some((rows) => rows.length > MAX_VERSIONS)) {
      throw new UnreadError(municipality_code, ['history']);
    }
    const take = <Row, Item extends object>(
      list: number,
      rows: readonly Row[],
      positionOf: (row: Row) => number,
      present: (row: Row) => Item,
    ) => page.take([id, list], rows, positionOf, (row) => ({ municipality_code, ...present(row) }));
    const [sessions] = versions;
    const session = (row: (typeof sessions)[number]) => ({
      source_code: row.sourceCode,
      ...presentSession(row, timeZone),
    });
    answer.sessions.push(...take(0, sessions.toSorted(byId), idOf, session));
    answer.subscriptions.push(
      ...take(1, heldTitles(versions), idOf, (row) => presentSubscription(row, timeZone)),
    );
    answer.history.push(
      ...take(2, versionsOf(versions), recordingOf, (version) => presentVersion(version, timeZone)),
    );
    answer.payments.push(
      ...take(3, payments, collectionOf, (payment) => presentFound(payment, municipality, language)),
    );
  }
  const listed = page.take(CALLS_AT, calls, (call) => call.at, presentCall, MAX_CALLS);
  return { ...answer, calls: listed, next: page.next };
}

const idOf = ({ id }: { readonly id: number }): number => id;
const recordingOf = ({ recordedAt }: PlateVersion): number => recordedAt;
const collectionOf = ({ collectedAt }: { readonly collectedAt: Instant }): number => collectedAt;
const byId = (a: { readonly id: number }, b: { readonly id: number }): number => a.id - b.id;

/** The subscriptions that the plate is on, with its spans. */
function heldTitles([, , spans, , titles]: VersionRows) {
  const spansOf = Map.groupBy(spans, ({ subscriptionId }) => subscriptionId);
  return titles
    .flatMap((title) => {
      const own = spansOf.get(title.id);
      return own === undefined ? [] : [{ ...title, spans: own }];
    })
    .sort(byId);
}
