import type * as z from 'zod';
import type { Issue } from '../../base/errors/refusal.ts';
import type { Language, Text } from '../../base/text/text.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import { issuesOf } from '../../serving/http/validation.ts';
import { digestKeys, plateDigest } from '../../storage/plate-digest/plate-digest.ts';
import { type ImportResponse, type LINE_CODES, MAX_ERRORS } from './contract.ts';

type LineCode = (typeof LINE_CODES)[number];

/** Why one line was rejected. Its neighbours are not affected. */
interface Rejection {
  readonly code: LineCode;
  /** Made lazily: a file may have a hundred thousand bad lines, and a thousand are listed. */
  readonly message: () => Text;
}

/** The result of reading a line: a row to store, or a rejection. */
export type Reading<Row> =
  | { readonly row: Row; readonly rejection?: undefined }
  | { readonly rejection: Rejection };

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

/** The line as a whole is no JSON object. */
export const NO_JSON_OBJECT: Rejection = {
  code: 'INVALID_JSON',
  message: () => ({ en: 'the line is not a JSON object', it: 'la riga non è un oggetto JSON' }),
};

/** The line is longer than any good line. */
export const TOO_LONG: Rejection = {
  code: 'INVALID_REQUEST',
  message: () => ({ en: 'the line is too long', it: 'la riga è troppo lunga' }),
};

/** Returns the value of a field. Without one the line is rejected, and what is made of it is thrown away. */
type Known = <T>(value: T | null | undefined, code: ValueCode, path: string) => T;

/** Reads a line by its schema. Its rejection has the code of the first wrong value. */
export function readLine<Line, Row>(
  schema: z.ZodType<Line>,
  value: object,
  rowOf: (line: Line, known: Known) => Row,
): Reading<Row> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const message = () => textOf(issuesOf(parsed.error.issues));
    return { rejection: { code: 'INVALID_REQUEST', message } };
  }
  const wrong: { readonly code: ValueCode; readonly path: string }[] = [];
  const row = rowOf(parsed.data, (found, code, path) => {
    if (found === null || found === undefined) wrong.push({ code, path });
    return found as NonNullable<typeof found>;
  });
  const [first] = wrong;
  if (first === undefined) return { row };
  const message = () => textOf(wrong.map(({ code, path }) => ({ path, message: VALUE_TEXTS[code] })));
  return { rejection: { code: first.code, message } };
}

function textOf(issues: readonly Issue[]): Text {
  const listed = issues.slice(0, MAX_ISSUES);
  const inLanguage = (language: Language) =>
    listed.map(({ path, message }) => `${path}: ${message[language]}`).join('; ');
  return { en: inLanguage('en'), it: inLanguage('it') };
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

  /** @param value the line's; null if it is no JSON object */
  add(line: number, { code, message }: Rejection, value: object | null): void {
    this.count += 1;
    if (this.errors.length < MAX_ERRORS) this.errors.push({ line, code, message: message()[this.#language] });
    if (this.#plates.size > MAX_PLATES) return;
    const plates = value === null ? [] : platesIn(value);
    if (plates.length === 0) this.#unreadable += 1;
    for (const plate of plates) this.#plates.add(plate);
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
