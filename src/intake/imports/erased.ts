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

/** The erasures of a municipality, while an import is under way. */
export class Erasures {
  readonly #keys: readonly string[];
  readonly #municipalityCode: string;
  readonly #digests: ErasedPlates<string>;

  /** @throws Error without a usable `DIGEST_KEY` */
  constructor(env: Env, municipalityCode: string, digests: ErasedPlates<string>) {
    this.#keys = requireDigestKeys(env);
    this.#municipalityCode = municipalityCode;
    this.#digests = digests;
  }

  /** Those of some plates that are erased. */
  async among(plates: Iterable<Plate>): Promise<ErasedPlates<Plate>> {
    const erased = new Map<Plate, Instant>();
    for (const plate of new Set(plates)) {
      for (const digest of await plateDigests(this.#keys, this.#municipalityCode, plate)) {
        const erasedAt = this.#digests.get(digest);
        if (erasedAt !== undefined) erased.set(plate, erasedAt);
      }
    }
    return erased;
  }

  /**
   * The rows under the keys by which they are known: a key that contains an erased plate is stored as its digest.
   *
   * @param find those of some keys that are stored
   */
  async underKnownKeys<Row extends { readonly key: string }>(
    rows: readonly Stored<Row>[],
    find: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<Stored<Row>[]> {
    const namesOf = ({ row: { key } }: Stored<Row>) => [key, ...this.#keys.map((one) => keyDigest(one, key))];
    const known = await find(rows.flatMap(namesOf));
    return rows.map((stored) => {
      const { row, without } = stored;
      const names = namesOf(stored);
      const [own = row.key, digest = own] = names;
      const fresh = without.some((plate) => spellsPlate(own, plate)) ? digest : own;
      return { row: { ...row, key: names.find((name) => known.has(name)) ?? fresh }, without };
    });
  }
}
