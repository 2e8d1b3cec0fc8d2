import type { Instant } from '../../domain/instant.ts';
import { type Plate, spellsPlate, storedPlate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import { keyDigest, newPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import { plateDigests, requireDigestKeys } from '../../storage/plate-digest/plate-digest.ts';
import type { SessionRow } from './session-line.ts';
import type { SubscriptionRow } from './subscription-line.ts';

/** When plates were erased from a municipality, by their digests or by themselves. */
export type ErasedPlates<By> = ReadonlyMap<By, Instant>;

/** A row as it may be stored. */
export interface Stored<Row> {
  readonly row: Row;
  /** The erased plates that were left out. */
  readonly without: readonly Plate[];
}

/** A session that began before its plate was erased has a pseudonym in the plate's place. */
export function sessionWithoutErased(row: SessionRow, erased: ErasedPlates<Plate>): Stored<SessionRow> {
  const erasedAt = erased.get(row.plate);
  return erasedAt !== undefined && row.startsAt < erasedAt
    ? { row: { ...row, plate: storedPlate(newPseudonym()) }, without: [row.plate] }
    : { row, without: [] };
}

/** A plate is left out of a title unless it came to it after the erasure. */
export function subscriptionWithoutErased(
  row: SubscriptionRow,
  erased: ErasedPlates<Plate>,
): Stored<SubscriptionRow> {
  const isErased = ([plate, validFrom]: SubscriptionRow['plates'][number]): boolean => {
    const erasedAt = erased.get(plate);
    const since = validFrom ?? row.authorizedFrom;
    return erasedAt !== undefined && (since === null || since <= erasedAt);
  };
  const without = row.plates.filter(isErased).map(([plate]) => plate);
  return without.length === 0
    ? { row, without }
    : { row: { ...row, plates: row.plates.filter((span) => !isErased(span)) }, without };
}

/** How a kind of row loses its erased plates. */
export interface Erasing<Row> {
  platesOf(row: Row): readonly Plate[];
  withoutErased(row: Row, erased: ErasedPlates<Plate>): Stored<Row>;
}

/**
 * The rows as they may be stored, under the keys by which they are known: a key that contains an erased plate is stored as its
 * digest.
 *
 * @param find those of some keys that are stored
 * @throws Error without a usable `DIGEST_KEY`, where the municipality has erased plates
 */
export async function withoutErased<Row extends { readonly key: string }>(
  env: Env,
  { code, erased: digests }: { readonly code: string; readonly erased: ErasedPlates<string> },
  kind: Erasing<Row>,
  rows: readonly Row[],
  find: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<Stored<Row>[]> {
  if (digests.size === 0) return rows.map((row) => ({ row, without: [] }));
  const keys = requireDigestKeys(env);
  const erased = new Map<Plate, Instant>();
  for (const plate of new Set(rows.flatMap((row) => kind.platesOf(row)))) {
    for (const digest of await plateDigests(keys, code, plate)) {
      const erasedAt = digests.get(digest);
      if (erasedAt !== undefined) erased.set(plate, erasedAt);
    }
  }
  const namesOf = (name: string) => [name, ...keys.map((key) => keyDigest(key, name))];
  const known = await find(rows.flatMap(({ key }) => namesOf(key)));
  return rows.map((given) => {
    const { row, without } = kind.withoutErased(given, erased);
    const names = namesOf(row.key);
    const [own = row.key, digest = own] = names;
    const fresh = without.some((plate) => spellsPlate(own, plate)) ? digest : own;
    return { row: { ...row, key: names.find((name) => known.has(name)) ?? fresh }, without };
  });
}
