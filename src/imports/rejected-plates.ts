import { normalizePlate, type Plate } from '../domain/plate.ts';
import type { Env } from '../env.ts';
import { digestKeys } from '../plate-digest/digest-keys.ts';
import { plateDigest } from '../plate-digest/plate-digest.ts';

/** How many plates of a source's rejected lines are kept in 24 h. */
export const MAX_REJECTED_PLATES = 1_000;

/** The plates that an import's rejected lines have named: a patrol must not conclude that they have no right. */
export class RejectedPlates {
  readonly #plates = new Set<Plate>();

  /** Notes a line's plate, if it names one. A number counts too: it is refused, but it was meant as a plate. */
  note(line: object): void {
    if (this.#plates.size >= MAX_REJECTED_PLATES || !('plate' in line)) {
      return;
    }
    const named = typeof line.plate === 'number' ? String(line.plate) : line.plate;
    const plate = typeof named === 'string' ? normalizePlate(named) : null;
    if (plate !== null) {
      this.#plates.add(plate);
    }
  }

  /**
   * Their digests. None without a usable key.
   *
   * @param municipality its code
   */
  async digests(env: Env, municipality: string): Promise<readonly string[]> {
    const [key] = digestKeys(env);
    return key === undefined
      ? []
      : Promise.all([...this.#plates].map((plate) => plateDigest(key, municipality, plate)));
  }
}
