import * as z from 'zod';

type GivenOf<Schema> =
  Schema extends z.ZodDefault<infer Inner>
    ? z.ZodOptional<Inner>
    : Schema extends z.ZodPrefault<z.ZodObject<infer Of>>
      ? z.ZodOptional<z.ZodObject<{ -readonly [Name in keyof Of]: GivenOf<Of[Name]> }, z.core.$strict>>
      : Schema extends z.ZodType
        ? z.ZodOptional<Schema>
        : never;

type GivenShape<Shape, Key extends keyof Shape> = {
  -readonly [Name in keyof Shape]: Name extends Key ? Shape[Name] : GivenOf<Shape[Name]>;
};

/** A kind of item. Its properties are declared once, whole and in the order of the document. */
export const kind = <const Shape extends z.ZodRawShape, const Key extends keyof Shape & string>(
  /** The property with its code. */
  key: Key,
  shape: Shape,
  /** The properties that only the administrator may change. */
  administrators: readonly (keyof Shape & string)[] = [],
) => ({
  key,
  administrators: administrators as readonly string[],
  /** As it is stored and answered. Parsing fills in what has a default. */
  whole: z.object(shape),
  /** In a request: anything but its code may be absent. One schema for each property. */
  given: z.strictObject({ ...givenShape(shape), [key]: shape[key] }) as unknown as z.ZodObject<
    GivenShape<Shape, Key>,
    z.core.$strict
  >,
});

/** A property with properties of its own. Its name in the description is `id` in a request, and `Stored…` as it is stored. */
export const group = <const Shape extends z.ZodRawShape>(id: string, description: string, shape: Shape) =>
  z
    .object(shape)
    .meta({ id: `Stored${id}`, description })
    // Each of its properties has a default.
    .prefault({} as never);

/** For the description of an item in a request. */
export const PUT =
  'In an existing item, an absent property keeps its value and null resets it; in a new item, an absent property gets its default.';

const givenShape = (shape: z.ZodRawShape): z.ZodRawShape =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, givenOf(schema as z.ZodType)]));

function givenOf(schema: z.ZodType): z.ZodType {
  const words = schema.description ?? '';
  if (schema instanceof z.ZodPrefault) {
    const whole = schema.unwrap() as z.ZodObject;
    const { id = '', description } = whole.meta() ?? {};
    return z
      .strictObject(givenShape(whole.shape))
      .meta({ id: id.replace('Stored', ''), description: `${description} ${PUT}` })
      .optional()
      .describe(words);
  }
  if (schema instanceof z.ZodDefault) {
    const given = schema.unwrap() as z.ZodType;
    return given.optional().describe(`${words} Default: ${wordOf(schema.def.defaultValue)}.`);
  }
  return schema.optional().describe(`${words} Required if new.`);
}

function wordOf(initial: unknown): string {
  if (!Array.isArray(initial)) return String(initial);
  return initial.length === 0 ? 'empty' : 'all';
}
