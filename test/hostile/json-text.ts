import fc from 'fast-check';
import * as z from 'zod';

/**
 * Generates JSON as text, since the worst of it (a number that is none, a property that is there twice, half a
 * character) is in no JavaScript value.
 */
type JsonText = fc.Arbitrary<string>;

/** The part of a JSON Schema that is followed. */
interface Shape {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
}

/** What stands in a property of this name when it is right. */
export type RightTexts = Readonly<Record<string, readonly string[]>>;

const quoted = (text: string): string => JSON.stringify(text);
const nested = (open: string, close: string, depth: number): string =>
  `${open.repeat(depth)}1${close.repeat(depth)}`;

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'length',
  '',
  ' ',
  '\u0000',
  'plate',
];

const STRANGE_TEXTS = [
  ...NAMES,
  ...[
    'AB\u0000CD',
    '\ud800',
    '\udc00\ud800',
    'AB\udc00CD',
    '\udbffA',
    '\ufeffAB123CD',
    '\u202eDC321BA',
    'A\u200bB',
    'a\u0301'.repeat(20),
  ],
  ...['ß', 'ﬁ', 'İ', '\u1e9e', 'Δ', '京', '💥', '\u{10ffff}', 'ＡＢ１２３', 'А', 'ǰ', 'ﷺ'],
  ...[
    'NaN',
    'Infinity',
    '1e400',
    'null',
    'true',
    '[object Object]',
    "' or 1=1 --",
    '"; drop table areas; --',
    '%00',
  ],
  ...[
    '2026-02-30T10:00:00Z',
    '9999-12-31T23:59:59.999999999-23:59',
    '0000-01-01T00:00Z',
    '2026-01-01',
    'P99999Y',
  ],
  ...[
    '::',
    '1',
    '0x7f.1',
    '::ffff:1.2.3.4/0',
    '0.0.0.0/0',
    'fe80::1%eth0',
    'Europe/Rome\u0000',
    '+01:00',
    'UTC',
  ],
];

const STRANGE_VALUES = [
  ...[
    'null',
    'true',
    'false',
    '0',
    '-0',
    '-1',
    '0.1',
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740993',
    '1e21',
  ],
  ...[
    '[]',
    '{}',
    '[[]]',
    '[null]',
    '{"__proto__":{"event":"entry"}}',
    '{"constructor":1}',
    '""',
    '[1,[2,[3]]]',
  ],
  ...[10, 3_000, 5_000, 6_000, 30_000].map((depth) => nested('[', ']', depth)),
  ...[10, 1_500, 8_000].map((depth) => nested('{"a":', '}', depth)),
];

/** Characters that JSON writes as they are, and ones that it escapes. */
const PLAIN_UNITS = ['A', 'é', '\u0301', '\u200b', '\u202e', '💥', ' ', '1', '-'];
const ESCAPED_UNITS = ['\u0000', '"', '\\', '\ud800', '\n'];

const longText: JsonText = fc
  .oneof(
    fc.tuple(fc.constantFrom(...PLAIN_UNITS), fc.constantFrom(81, 300, 15_000)),
    fc.tuple(fc.constantFrom(...ESCAPED_UNITS), fc.constantFrom(81, 300, 5_000)),
    fc.tuple(fc.constant('a'), fc.constant(60_000)),
  )
  .map(([unit, length]) => quoted(unit.repeat(length)));

const strangeText: JsonText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...STRANGE_TEXTS.map(quoted)) },
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }).map(quoted) },
  { weight: 1, arbitrary: longText },
);

/** Anything but what should be there. */
export const strangeJson: JsonText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...STRANGE_VALUES) },
  { weight: 2, arbitrary: strangeText },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
);

/** A text that is nearly what a schema takes: in each value's place something strange may stand. */
export function nearlyRight(schema: z.ZodType, right: RightTexts, strange: readonly string[]): JsonText {
  const tokens = fc.constantFrom(...strange.map(quoted));
  const of = (shape: Shape, name: string): JsonText =>
    fc.oneof(
      { weight: 60, arbitrary: rightOf(shape, name) },
      { weight: 2, arbitrary: strangeText },
      { weight: 1, arbitrary: strangeJson },
      { weight: 1, arbitrary: tokens },
    );
  const rightOf = (shape: Shape, name: string): JsonText => {
    if (shape.const !== undefined) return fc.constant(JSON.stringify(shape.const));
    if (shape.enum) return fc.constantFrom(...shape.enum.map((value) => JSON.stringify(value)));
    if (shape.anyOf) return fc.oneof(...shape.anyOf.map((choice) => rightOf(choice, name)));
    switch (shape.type) {
      case 'object':
        return objectOf(shape.properties ?? {});
      case 'array':
        return fc
          .uniqueArray(of(shape.items ?? {}, name), { minLength: 1, maxLength: 3 })
          .map((items) => `[${items.join(',')}]`);
      case 'integer':
      case 'number':
        return fc.constantFrom('0', '1', '2', '60', '1000');
      case 'boolean':
        return fc.constantFrom('true', 'false');
      case 'null':
        return fc.constant('null');
      default:
        return fc.constantFrom(...(right[name] ?? ['1', 'A', 'x']).map(quoted));
    }
  };
  /** Most of the properties, in any order; now and then one that is unknown, or there twice. */
  const objectOf = (properties: Readonly<Record<string, Shape>>): JsonText => {
    const members = Object.entries(properties).map(([name, shape]) =>
      fc
        .option(of(shape, name), { freq: 8 })
        .map((text) => (text === null ? [] : [`${quoted(name)}:${text}`])),
    );
    const member = fc
      .tuple(
        fc.oneof(
          fc.constantFrom(...NAMES, ...Object.keys(properties), ...strange),
          fc.string({ unit: 'binary' }),
        ),
        strangeJson,
      )
      .map(([name, text]) => `${quoted(name)}:${text}`);
    const extra = fc.oneof(
      { weight: 6, arbitrary: fc.constant<string[]>([]) },
      { weight: 1, arbitrary: fc.array(member, { minLength: 1, maxLength: 3 }) },
    );
    return fc.tuple(fc.tuple(...members), extra, fc.boolean()).map(([known, more, reversed]) => {
      const all = [...known.flat(), ...more];
      return `{${(reversed ? all.reverse() : all).join(',')}}`;
    });
  };
  return of(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape, '');
}
