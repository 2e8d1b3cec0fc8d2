import { UnreadError } from '../../base/errors/unread.ts';
import type { Language } from '../../base/text/text.ts';
import { presentFound } from '../../core/recorded-payments/present.ts';
import type { Env } from '../../env.ts';
import { read } from '../../storage/db/batch.ts';
import type { Holder } from '../administration/holders-table.ts';
import { presentCall } from '../administration/logged-call.ts';
import { clockOf, presentSession, presentSubscription, presentVersion } from '../history/history.ts';
import { versionsOf } from '../history/versions.ts';
import { MAX_EXPORTED, PLATE_VERSIONS } from '../history/versions-table.ts';
import type { ExportAnswer } from './contract.ts';
import { CALLS, HOLDING, MAX_CALLS } from './export-table.ts';
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
    const { id, code: municipality_code } = municipality;
    const clock = clockOf(municipality.timeZone);
    const rows = await read(DB, PLATE_VERSIONS, { municipalityId: id, plate });
    if (rows.some(({ length }) => length > MAX_EXPORTED)) {
      throw new UnreadError(municipality_code, ['history']);
    }
    const history = versionsOf(rows);
    const present = history.filter(({ replacedAt }) => replacedAt === null);
    const take = <Row, Item extends object>(
      list: number,
      versions: readonly Row[],
      positionOf: (version: Row) => number,
      itemOf: (version: Row) => Item,
    ) =>
      page.take([id, list], versions, positionOf, (version) => ({ municipality_code, ...itemOf(version) }));

    const sessions = present.filter((version) => version.kind === 'parking_session');
    answer.sessions.push(
      ...take(0, sessions, idOf, (session) => ({
        source_code: session.sourceCode,
        ...presentSession(session, clock),
      })),
    );
    const titles = present.filter((version) => version.kind === 'subscription');
    answer.subscriptions.push(...take(1, titles, idOf, (title) => presentSubscription(title, clock)));
    answer.history.push(
      ...take(
        2,
        history,
        ({ recordedAt }) => recordedAt,
        (version) => presentVersion(version, clock),
      ),
    );
    const payments = history.filter((version) => version.kind === 'payment');
    answer.payments.push(
      ...take(
        3,
        payments,
        ({ collectedAt }) => collectedAt,
        (payment) => presentFound(payment, municipality, language),
      ),
    );
  }
  const listed = page.take(CALLS_AT, calls, (call) => call.at, presentCall, MAX_CALLS);
  return { ...answer, calls: listed, next: page.next };
}

const idOf = ({ id }: { readonly id: number }): number => id;
