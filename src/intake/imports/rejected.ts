import type { Language } from '../../base/text/text.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import { digestKeys, plateDigest } from '../../storage/plate-digest/plate-digest.ts';
import { type ImportResponse, MAX_ERRORS } from './contract.ts';
import type { Rejection } from './rejection.ts';

/** The plates of an import that are remembered. With more, any plate may have been in a rejected line. */
const MAX_PLATES = 1_000;
/** With more lines in which no plate can be read, any plate may have been in one: a sender's format is wrong. */
const MAX_UNREADABLE_LINES = 100;

/** An import's rejected lines: counts all, lists the first, and remembers their plates. */
export class RejectedLines {
  readonly errors: ImportResponse['errors'] = [];
  readonly #language: Language;
  readonly #plates = new Set<Plate>();
  #unreadable = 0;
  #ofPlates = 0;
  count = 0;

  /** @param language of the reasons */
  constructor(language: Language) {
    this.#language = language;
  }

  /** @param value the line's; null if it is no JSON object */
  add(line: number, rejection: Rejection, value: object | null): void {
    this.count += 1;
    if (this.errors.length < MAX_ERRORS) {
      this.errors.push({ line, code: rejection.code, message: rejection.message()[this.#language] });
    }
    if (this.#concernsAll) return;
    const plates = value === null ? [] : platesIn(value);
    if (plates.length === 0) this.#unreadable += 1;
    else this.#ofPlates += 1;
    for (const plate of plates) this.#plates.add(plate);
  }

  /**
   * The digests of the plates; null: any plate may have been in a line. Without a usable `DIGEST_KEY` no plate can be
   * remembered.
   */
  async digests(env: Env, municipalityCode: string): Promise<(string | null)[]> {
    const [key] = digestKeys(env);
    const unreadable = this.#unreadable + (key === undefined ? this.#ofPlates : 0);
    if (this.#concernsAll || unreadable > MAX_UNREADABLE_LINES) return [null];
    return key === undefined
      ? []
      : Promise.all([...this.#plates].map((plate) => plateDigest(key, municipalityCode, plate)));
  }

  get #concernsAll(): boolean {
    return this.#plates.size > MAX_PLATES || this.#unreadable > MAX_UNREADABLE_LINES;
  }
}

/** The plates that a line names, a session's or a subscription's. */
function platesIn(line: object): Plate[] {
  const { plate, plates }: { plate?: unknown; plates?: unknown } = line;
  return [plate, ...(Array.isArray(plates) ? plates.map(plateOfEntry) : [])].flatMap(
    (text) => plateIn(text) ?? [],
  );
}

const plateOfEntry = (entry: unknown): unknown =>
  typeof entry === 'object' && entry !== null && 'plate' in entry ? entry.plate : entry;

/** Accepts a number too: the import refuses it, but it was meant as a plate. */
const plateIn = (text: unknown): Plate | null =>
  typeof text === 'string' || typeof text === 'number' ? normalizePlate(String(text)) : null;
