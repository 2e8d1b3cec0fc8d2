import * as z from 'zod';
import { holdsSteering } from '../../base/text/steering.ts';
import type { Instant } from '../../domain/instant.ts';
import { holdsNoToken, instantText, NO_TOKEN } from '../../serving/http/fields.ts';
import { customIssue } from '../../serving/http/validation.ts';
import { CODE_LENGTH, NAME_LENGTH } from '../../storage/db/schema/columns.ts';

/** The key of a session in its source, or of a subscription in its municipality: 1 to 200 characters. */
export const key = z
  .string()
  .trim()
  .min(1)
  .max(NAME_LENGTH)
  // Halves of a character: the database would not return them unchanged.
  .refine((text) => text.isWellFormed() && !holdsSteering(text), {
    params: customIssue({
      en: 'must not have control characters, nor any that turn the direction of text',
      it: 'non deve avere caratteri di controllo, né caratteri che invertono la direzione del testo',
    }),
  })
  .refine(holdsNoToken, NO_TOKEN);

/** The line's key, or null: a line without one is always rejected. */
export function keyIn(line: object, property: string): string | null {
  const parsed = key.safeParse(Reflect.get(line, property));
  return parsed.success ? parsed.data : null;
}

/** A code of the configuration. */
export const code = z.string().trim().min(1).max(CODE_LENGTH);

/** A plate as its sender writes it. Its normalization has an error code of its own, and is not judged here. */
export const plate = z.string();

/** The version of a line in its sender's own count. Missing or null: the sender counts none. */
export const revision = z
  .int()
  .min(0)
  .nullish()
  .transform((number) => number ?? null);

/** An instant that may be missing or null: no bound, or not yet. */
export const optionalInstant = instantText.nullish().transform((at): Instant | null => at ?? null);

/** The refusal of an end that is not after its start. */
export const laterThan = (start: string) =>
  customIssue({ en: `must be later than ${start}`, it: `deve essere successivo a ${start}` });

/** Whether an end is after a start; true where either is missing. */
export function isAfter(end: Instant | null, start: Instant | null): boolean {
  return end === null || start === null || end > start;
}
