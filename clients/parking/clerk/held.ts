import { instant } from '../../../src/domain/instant.ts';
import { formatInstant } from '../../../src/domain/zoned-time.ts';
import type { Answer } from '../../client/index.ts';
import { listsOf } from '../commands/plate.ts';
import type { Office } from '../office.ts';

type Exported = Answer<'exportPlate'>;

/** A stored session: an import's line, and its source. */
export type HeldSession = Exported['sessions'][number];

/** A municipality whose records are looked up. */
export interface RecordMunicipality {
  readonly code: string;
  readonly tenant: string;
  readonly timezone: string;
}

/**
 * The municipality that was named, else the profile's.
 *
 * @throws Stop without one, or without an office's token to look it up
 */
export async function recordMunicipality(
  office: Office,
  given: string | undefined,
): Promise<RecordMunicipality> {
  const code = office.requireMunicipality(given);
  const { configuration } = await office.answer(
    office.client.getConfiguration({ municipality_code: code }, office.call),
  );
  const [municipality] = configuration.municipalities;
  return { code, tenant: municipality?.tenant ?? '', timezone: municipality?.timezone ?? 'UTC' };
}

/** An instant in the municipality's time zone, as the service writes it. */
export const asLocalTime = (at: string, { timezone }: RecordMunicipality): string =>
  formatInstant(instant(Date.parse(at)), timezone);

/** The stored sessions of a plate in a municipality, the newest first. */
export async function heldSessions(
  office: Office,
  city: RecordMunicipality,
  plate: string,
): Promise<HeldSession[]> {
  const { sessions } = await listsOf(office, { tenant: city.tenant, plate });
  return sessions
    .filter(({ municipality_code }) => municipality_code === city.code)
    .sort((a, b) => Date.parse(b.starts_at) - Date.parse(a.starts_at));
}

/** The stored subscriptions of a plate in a municipality, by number, with this plate and no other one. */
export async function heldSubscriptions(
  office: Office,
  city: RecordMunicipality,
  plate: string,
): Promise<Exported['subscriptions']> {
  const { subscriptions } = await listsOf(office, { tenant: city.tenant, plate });
  return subscriptions
    .filter(({ municipality_code }) => municipality_code === city.code)
    .sort((a, b) => (a.subscription_number < b.subscription_number ? -1 : 1));
}
