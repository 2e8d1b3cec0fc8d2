import { type Plate, storedPlate } from '../domain/plate.ts';
import type { Env } from '../env.ts';
import { requireDigestKeys } from '../plate-digest/digest-keys.ts';
import { type ErasedFrom, erasedDigest } from '../plate-digest/erased-plate.ts';
import type { Erased, ErasedPlate } from './erased-parts.ts';
import type { SessionRow } from './session-line.ts';
import type { SubscriptionRow } from './subscription-line.ts';

/**
 * Keeps erased plates erased: a line that names the same plate again for the same session or subscription does not bring
 * it back. Any other plate of the line is taken.
 */
export class ErasedPlates {
  readonly #from: Omit<ErasedFrom, 'key'>;
  readonly #env: Env;
  #byKey: ReadonlyMap<string, readonly ErasedPlate[]> = new Map();
  #digestKeys: readonly string[] = [];
  /** The last erasure that the batch under way knows of. */
  upTo = 0;

  constructor(env: Env, from: Omit<ErasedFrom, 'key'>) {
    this.#env = env;
    this.#from = from;
  }

  /**
   * Begins a batch.
   *
   * @throws Error when plates were erased from its keys, and there is no usable `DIGEST_KEY` to know them by
   */
  begin({ plates, upTo }: Erased): void {
    this.#byKey = Map.groupBy(plates, ({ key }) => key);
    this.#digestKeys = plates.length === 0 ? [] : requireDigestKeys(this.#env);
    this.upTo = upTo;
  }

  /** The session with the pseudonym in its plate's place, where that plate was erased from it. */
  async inSession(row: SessionRow): Promise<SessionRow> {
    if (!this.#byKey.has(row.sessionId)) {
      return row;
    }
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
