import type { Issue } from '../../base/errors/refusal.ts';
import type { Language } from '../../base/text/text.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import { digestKeys, plateDigest } from '../../storage/plate-digest/plate-digest.ts';
import { type ImportResponse, type LINE_CODES, MAX_ERRORS } from './contract.ts';

/** Why a line is rejected. */
export type LineCode = (typeof LINE_CODES)[number];

/** Wrong fields named of one line. Its sender sees the rest next time. */
const MAX_ISSUES = 10;
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
  count = 0;

  /** @param language of the reasons */
  constructor(language: Language) {
    this.#language = language;
  }

  /**
   * Returns null: the line has no row.
   *
   * @param number of the line
   * @param value of the line, if it is a JSON object
   * @param code of the first wrong value
   * @param issues made lazily: a file may have a hundred thousand bad lines, and a thousand are listed
   */
  add(number: number, value: object | null, code: LineCode, issues: () => readonly Issue[]): null {
    this.count += 1;
    if (this.errors.length < MAX_ERRORS) {
      const named = issues()
        .slice(0, MAX_ISSUES)
        .map(({ path, message }) => `${path && `${path}: `}${message[this.#language]}`);
      this.errors.push({ line: number, code, message: named.join('; ') });
    }
    if (this.#plates.size > MAX_PLATES) return null;
    const plates = platesIn(value ?? {});
    if (plates.length === 0) this.#unreadable += 1;
    for (const plate of plates) this.#plates.add(plate);
    return null;
  }

  /**
   * The digests of the plates; null: any plate may have been in a line. Without a usable `DIGEST_KEY` no plate can be
   * remembered.
   */
  digests(env: Env, municipalityCode: string): (string | null)[] {
    const [key] = digestKeys(env);
    const unreadable = key === undefined ? this.count : this.#unreadable;
    if (this.#plates.size > MAX_PLATES || unreadable > MAX_UNREADABLE_LINES) return [null];
    return key === undefined
      ? []
      : [...this.#plates].map((plate) => plateDigest(key, municipalityCode, plate));
  }
}

/** The plates that a line names, a session's or a subscription's. A number too: the import refuses it, but it was meant as one. */
function platesIn(line: object): Plate[] {
  const { plate, plates }: { plate?: unknown; plates?: unknown } = line;
  const texts = [plate, ...(Array.isArray(plates) ? plates.map((entry) => entry?.plate ?? entry) : [])];
  return texts.flatMap((text) =>
    typeof text === 'string' || typeof text === 'number' ? (normalizePlate(String(text)) ?? []) : [],
  );
}
