import { type Plate, storedPlate } from '../domain/plate.ts';
import type { Env } from '../env.ts';
import { requireDigestKeys } from '../plate-digest/digest-keys.ts';
import { type ErasedFrom, erasedDigest } from '../plate-digest/erased-plate.ts';
import type { ErasedPlate } from './erased-table.ts';
import type { SessionRow } from './session-line.ts';
import type { SubscriptionRow } from './subscription-line.ts';

/**
 * Keeps erased plates erased: a line that names the same plate again for the same session or subscription does not bring
 * it back. Any other plate of the line is taken.
 */
export class ErasedPlates {
  readonly #from: Omit<ErasedFrom, 'key'>;
  readonly #byKey: ReadonlyMap<string, readonly ErasedPlate[]>;
  readonly #digestKeys: readonly string[];

  /** @throws Error when plates were erased, and there is no usable `DIGEST_KEY` to know them by */
  constructor(env: Env, from: Omit<ErasedFrom, 'key'>, erased: readonly ErasedPlate[]) {
    this.#from = from;
    this.#byKey = Map.groupBy(erased, ({ key }) => key);
    this.#digestKeys = erased.length === 0 ? [] : requireDigestKeys(env);
  }

  /** The session with the pseudonym in its plate's place, where that plate was erased from it. */
  async inSession(row: SessionRow): Promise<SessionRow> {
    const erased = await this.#find(row.sessionId, row.plate);
    return erased?.pseudonym ? { ...row, plate: storedPlate(erased.pseudonym) } : row;
  }

  /** The subscription without the plates that were erased from it. */
  async inSubscription(row: SubscriptionRow): Promise<SubscriptionRow> {
    if (!this.#byKey.has(row.subscriptionNumber)) {
      return row;
    }
    const found = await Promise.all(row.plates.map(({ plate }) => this.#find(row.subscriptionNumber, plate)));
    return { ...row, plates: row.plates.filter((_, index) => found[index] === null) };
  }

  async #find(key: string, plate: Plate): Promise<ErasedPlate | null> {
    const erased = this.#byKey.get(key);
    if (erased === undefined) {
      return null;
    }
    const digests = await Promise.all(
      this.#digestKeys.map((digestKey) => erasedDigest(digestKey, { ...this.#from, key }, plate)),
    );
    return erased.find(({ digest }) => digests.includes(digest)) ?? null;
  }
}
