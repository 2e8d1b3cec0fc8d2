import type * as z from 'zod';
import type { Issue } from '../../base/errors/refusal.ts';
import type { Language, Text } from '../../base/text/text.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import { issuesOf } from '../../serving/http/validation.ts';
import { digestKeys, plateDigest } from '../../storage/plate-digest/plate-digest.ts';
import { type ImportResponse, type LINE_CODES, MAX_ERRORS } from './contract.ts';
import { type Line, MAX_LINE_BYTES } from './line-reader.ts';

type LineCode = (typeof LINE_CODES)[number];

/** Wrong fields named of one line. Its sender sees the rest next time. */
const MAX_ISSUES = 10;
/** The plates of an import that are remembered. With more, any plate may have been in a rejected line. */
const MAX_PLATES = 1_000;
/** With more lines in which no plate can be read, any plate may have been in one: a sender's format is wrong. */
const MAX_UNREADABLE_LINES = 100;

/** The texts about a field that has the right form and a wrong value. */
const VALUE_TEXTS = {
  INVALID_PLATE: {
    en: 'it is blank, too long, or has a character that no plate can have',
    it: 'è vuota, troppo lunga, o contiene un carattere che nessuna targa può avere',
  },
  AREA_NOT_FOUND: {
    en: 'the municipality has no area with this code',
    it: 'il comune non ha aree con questo codice',
  },
  SUBSCRIPTION_TYPE_NOT_FOUND: {
    en: 'the municipality has no subscription type with this code',
    it: 'il comune non ha tipi di abbonamento con questo codice',
  },
} as const satisfies Partial<Record<LineCode, Text>>;
type ValueCode = keyof typeof VALUE_TEXTS;

const ofLine = (message: Text): readonly Issue[] => [{ path: '', message }];
const NO_JSON_OBJECT = ofLine({ en: 'the line is not a JSON object', it: 'la riga non è un oggetto JSON' });
const TOO_LONG = ofLine({ en: 'the line is too long', it: 'la riga è troppo lunga' });

/** Returns the value of a field. Without one the line is rejected, and what is made of it is thrown away. */
type Known = <T>(value: T | null | undefined, code: ValueCode, path: string) => T;

/** Reads a line by its schema; null if it is rejected. */
export function readLine<Fields, Row>(
  schema: z.ZodType<Fields>,
  line: Line,
  rejected: RejectedLines,
  rowOf: (fields: Fields, known: Known) => Row,
): Row | null {
  if (line.bytes > MAX_LINE_BYTES) return rejected.add(line, 'INVALID_REQUEST', () => TOO_LONG);
  const value = objectIn(line.text);
  if (value === null) return rejected.add(line, 'INVALID_JSON', () => NO_JSON_OBJECT);
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    return rejected.add(line, 'INVALID_REQUEST', () => issuesOf(parsed.error.issues));
  }
  const wrong: (Issue & { readonly code: ValueCode })[] = [];
  const row = rowOf(parsed.data, (found, code, path) => {
    if (found === null || found === undefined) wrong.push({ code, path, message: VALUE_TEXTS[code] });
    return found as NonNullable<typeof found>;
  });
  const [first] = wrong;
  return first === undefined ? row : rejected.add(line, first.code, () => wrong);
}

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
   * @param code of the first wrong value
   * @param issues made lazily: a file may have a hundred thousand bad lines, and a thousand are listed
   */
  add({ number, text }: Line, code: LineCode, issues: () => readonly Issue[]): null {
    this.count += 1;
    if (this.errors.length < MAX_ERRORS) {
      const named = issues()
        .slice(0, MAX_ISSUES)
        .map(({ path, message }) => `${path && `${path}: `}${message[this.#language]}`);
      this.errors.push({ line: number, code, message: named.join('; ') });
    }
    if (this.#plates.size > MAX_PLATES) return null;
    const plates = platesIn(objectIn(text) ?? {});
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

/** Parses a line as an object; null if it is no JSON, or no object. */
function objectIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
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
