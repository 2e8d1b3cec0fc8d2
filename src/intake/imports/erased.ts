import type { Instant } from '../../domain/instant.ts';
import { type Plate, spellsPlate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import { keyDigest } from '../../storage/plate-digest/erased-plate.ts';
import { plateDigests, requireDigestKeys } from '../../storage/plate-digest/plate-digest.ts';
import type { Target } from './target-table.ts';

/** A row as it may be stored. */
interface Stored<Row> {
  readonly row: Row;
  /** The erased plates that were left out. */
  readonly without: readonly Plate[];
}

/** How a kind of row loses its erased plates. */
export interface Erasing<Row> {
  /** @param erasedAt when a plate was erased from the municipality */
  withoutErased(row: Row, erasedAt: (plate: Plate) => Instant | undefined): Stored<Row>;
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
  { code, erased }: Pick<Target, 'code' | 'erased'>,
  kind: Erasing<Row>,
  rows: readonly Row[],
  find: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<Stored<Row>[]> {
  if (erased.size === 0) return rows.map((row) => ({ row, without: [] }));
  const keys = requireDigestKeys(env);
  const erasedAt = (plate: Plate) =>
    plateDigests(keys, code, plate)
      .map((digest) => erased.get(digest))
      .find((at) => at !== undefined);
  const named = rows.map((row) => ({
    ...kind.withoutErased(row, erasedAt),
    names: [row.key, ...keys.map((key) => keyDigest(key, row.key))],
  }));
  const known = await find(named.flatMap(({ names }) => names));
  return named.map(({ row, without, names: [own = row.key, digest = own, ...others] }) => {
    const fresh = without.some((plate) => spellsPlate(own, plate)) ? digest : own;
    const key = [own, digest, ...others].find((name) => known.has(name)) ?? fresh;
    return { row: { ...row, key }, without };
  });
}
