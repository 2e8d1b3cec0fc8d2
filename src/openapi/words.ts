import type * as z from 'zod';

/**
 * An object's schema, with its name and explanations in the document. Every field has words, and all words have a
 * field.
 */
export interface Component {
  readonly name: string;
  readonly io: 'input' | 'output';
  readonly schema: z.ZodObject;
  readonly words: string;
  readonly fields: Readonly<Record<string, string>>;
}

type FieldWords<Schema extends z.ZodObject> = { readonly [Field in keyof Schema['shape'] & string]: string };

/** What a client sends: the values before defaults, trimming and parsing. */
export function input<Schema extends z.ZodObject>(
  name: string,
  schema: Schema,
  words: string,
  fields: FieldWords<Schema>,
): Component {
  return { name, io: 'input', schema, words, fields };
}

/** What the service answers: without further properties, and with every property that is not optional. */
export function output<Schema extends z.ZodObject>(
  name: string,
  schema: Schema,
  words: string,
  fields: FieldWords<Schema>,
): Component {
  return { name, io: 'output', schema, words, fields };
}
