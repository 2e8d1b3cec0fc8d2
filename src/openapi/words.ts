import type * as z from 'zod';

/** An object's schema as the document names and explains it: no field without its words, no words without a field. */
export interface Component {
  readonly name: string;
  readonly io: 'input' | 'output';
  readonly schema: z.ZodObject;
  readonly words: string;
  readonly fields: Readonly<Record<string, string>>;
}

type FieldWords<Schema extends z.ZodObject> = { readonly [Field in keyof Schema['shape'] & string]: string };

/** What a client sends: an absent property may have a default, and texts are taken before they are trimmed or read. */
export function input<Schema extends z.ZodObject>(
  name: string,
  schema: Schema,
  words: string,
  fields: FieldWords<Schema>,
): Component {
  return { name, io: 'input', schema, words, fields };
}

/** What the service answers: closed, and every property that is not optional is there. */
export function output<Schema extends z.ZodObject>(
  name: string,
  schema: Schema,
  words: string,
  fields: FieldWords<Schema>,
): Component {
  return { name, io: 'output', schema, words, fields };
}
