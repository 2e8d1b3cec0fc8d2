import { DAY_MS } from '../../../src/domain/instant.ts';
import type { Office } from '../office.ts';

/** A municipality with payments that wait for the office, or that did not say whether it has any. */
export type Unsettled =
  | { readonly municipality_code: string; readonly count: number; readonly oldest_collected_at: string }
  | { readonly municipality_code: string; readonly count: null; readonly oldest_collected_at: null };

/** The longest window of one search. */
const LOOK_BACK_MS = 31 * DAY_MS;
/** Municipalities that are asked at a time. */
const AT_A_TIME = 8;

/**
 * The unsettled payments that were collected in the last 31 days, for each municipality that has some. A municipality that
 * does not answer hides no other. Null: the municipalities are not known.
 */
export async function findUnsettled(office: Office): Promise<Unsettled[] | null> {
  const listed = await office.client.listDatabases({}, office.call);
  if (!listed.ok) return null;
  const codes = listed.answer.databases.flatMap(({ municipalities }) => municipalities).sort();
  const found: Unsettled[] = [];
  for (let index = 0; index < codes.length; index += AT_A_TIME) {
    const part = codes.slice(index, index + AT_A_TIME);
    found.push(...(await Promise.all(part.map((code) => unsettledIn(office, code)))).flat());
  }
  return found;
}

async function unsettledIn(office: Office, code: string): Promise<Unsettled[]> {
  const now = Date.now();
  const window = { from: new Date(now - LOOK_BACK_MS).toISOString(), until: new Date(now).toISOString() };
  const found = await office.client.findPaymentsForOffice(
    { municipality_code: code, ...window, state: 'unsettled' },
    office.call,
  );
  if (!found.ok) return [{ municipality_code: code, count: null, oldest_collected_at: null }];
  const [oldest] = found.answer.payments;
  return oldest === undefined
    ? []
    : [
        {
          municipality_code: code,
          count: found.answer.totals.unsettled.count,
          oldest_collected_at: oldest.collected_at,
        },
      ];
}
