import fc from 'fast-check';

/**
 * Generates JSON as text, since the worst of it (a number that is none, a property that is there twice, half a
 * character) is in no JavaScript value.
 */
type JsonText = fc.Arbitrary<string>;

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
  ...['AB\u0000CD', '\ud800', '\udc00\ud800', 'AB\udc00CD', '\ufeffAB123CD', '\u202eDC321BA', 'A\u200bB'],
  ...['ß', 'ﬁ', 'İ', 'Δ', '京', '💥', '\u{10ffff}', 'ＡＢ１２３', 'А', 'ﷺ', 'a\u0301'.repeat(20)],
  ...['NaN', '1e400', 'null', 'true', '[object Object]', "' or 1=1 --", '"; drop table areas; --', '%00'],
  ...['2026-02-30T10:00:00Z', '9999-12-31T23:59:59.999999999-23:59', '0000-01-01T00:00Z', 'P99999Y'],
  ...['::', '0x7f.1', '::ffff:1.2.3.4/0', '0.0.0.0/0', 'fe80::1%eth0', 'Europe/Rome\u0000', '+01:00'],
];

const STRANGE_VALUES = [
  ...['null', 'true', 'false', '0', '-0', '-1', '0.1', '1e400', '-1e400', '1e-400', '9007199254740993'],
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
  ...[10, 3_000, 30_000].map((depth) => nested('[', ']', depth)),
  ...[10, 1_500, 8_000].map((depth) => nested('{"a":', '}', depth)),
];

/** Characters that JSON writes as they are, and ones that it escapes. */
const UNITS = ['A', 'é', '\u0301', '\u200b', '💥', ' ', '-', '\u0000', '"', '\\', '\ud800', '\n'];
const longText: JsonText = fc
  .tuple(fc.constantFrom(...UNITS), fc.constantFrom(81, 300, 5_000, 15_000))
  .map(([unit, length]) => quoted(unit.repeat(length)));

const strangeText: JsonText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...STRANGE_TEXTS.map(quoted)) },
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }).map(quoted) },
  { weight: 1, arbitrary: longText },
);

/** Rarely something else than the usual. */
export const mostly = <Value>(
  usual: fc.Arbitrary<Value>,
  weight: number,
  ...others: readonly fc.Arbitrary<Value>[]
): fc.Arbitrary<Value> =>
  fc.oneof({ weight, arbitrary: usual }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })));

/** Anything but what should be there. */
export const strangeJson: JsonText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...STRANGE_VALUES) },
  { weight: 2, arbitrary: strangeText },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
);

/**
 * A document that is nearly a right one: in each value's place something strange may stand, properties may be left out,
 * come in another order, twice, or besides.
 */
export function nearly(right: unknown, names: readonly string[], strange: readonly string[]): JsonText {
  const of = (value: unknown): JsonText =>
    fc.oneof(
      { weight: 60, arbitrary: rightly(value) },
      { weight: 2, arbitrary: strangeText },
      { weight: 1, arbitrary: strangeJson },
      { weight: 1, arbitrary: fc.constantFrom(...strange.map(quoted)) },
    );
  const rightly = (value: unknown): JsonText => {
    if (Array.isArray(value)) return fc.tuple(...value.map(of)).map((items) => `[${items.join(',')}]`);
    if (typeof value !== 'object' || value === null) return fc.constant(JSON.stringify(value));
    const members = Object.entries(value).map(([name, part]) =>
      fc.option(of(part), { freq: 8 }).map((text) => (text === null ? [] : [`${quoted(name)}:${text}`])),
    );
    const anyName = fc.oneof(fc.constantFrom(...NAMES, ...names, ...strange), fc.string({ unit: 'binary' }));
    const besides = fc.tuple(anyName, strangeJson).map(([name, text]) => `${quoted(name)}:${text}`);
    const extra = mostly(fc.constant<string[]>([]), 6, fc.array(besides, { minLength: 1, maxLength: 3 }));
    return fc.tuple(fc.tuple(...members), extra, fc.boolean()).map(([known, more, reversed]) => {
      const all = [...known.flat(), ...more];
      return `{${(reversed ? all.reverse() : all).join(',')}}`;
    });
  };
  return of(right);
}
