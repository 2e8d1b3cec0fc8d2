import fc from 'fast-check';
import { CONTENT_TYPES, header, OTHER_HEADERS, tokenHeaders } from './headers.ts';
import { nearlyRight, type RightTexts, strangeJson } from './json-text.ts';
import type { Target } from './operations.ts';

/** A request before it is one: what fast-check can print, and take apart. */
export interface Plan {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | null;
  /** How the body comes: whole, in pieces of unknown length in all, or in pieces and broken off. */
  readonly sent: 'whole' | 'streamed' | 'broken_off';
}

/** What a caller has, and what it should not have. */
export interface Caller {
  /** The header that lets it in. */
  readonly headers: Readonly<Record<string, string>>;
  /** Tokens of its own and of others, and other ids by the name that a path has for them. */
  readonly tokens: readonly string[];
  readonly ids: Readonly<Record<string, string>>;
  readonly right: RightTexts;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** One occurrence of a header in this many requests. */
const RARELY = 20;

/** Ways to say, or nearly to say, the same path. */
const PATH_TWISTS: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.replaceAll('/', '//'),
  (path) => path.toUpperCase(),
  (path) => `${path}%00`,
  (path) => `${path}/%2e%2e/x`,
  (path) => `${path}/..%2f..%2fhealth`,
  (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => `${path}/${'a'.repeat(8_000)}`,
  (path) => `${path};x=1`,
  (path) => `${path}%`,
  (path) => `${path}%ff%c0%af`,
  (path) => path.slice(0, -1),
];

const strangeId = fc.oneof(
  fc.constantFrom(
    '%00',
    '%ff',
    '%',
    '..',
    "'%20or%201=1",
    '%F0%9F%92%A5',
    'a'.repeat(5_000),
    '__proto__',
    '%2F',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map(encodable),
);

function pathOf(target: Target, caller: Caller): fc.Arbitrary<string> {
  const names = Object.keys(caller.ids);
  const filled = fc
    .tuple(fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: strangeId }))
    .map(([strange]) =>
      names.reduce((path, name) => path.replace(name, strange ?? caller.ids[name] ?? ''), target.path),
    );
  return fc.oneof(
    { weight: 24, arbitrary: filled },
    {
      weight: 1,
      arbitrary: fc.tuple(filled, fc.constantFrom(...PATH_TWISTS)).map(([path, twist]) => twist(path)),
    },
  );
}

function queryOf(target: Target, caller: Caller): fc.Arbitrary<string> {
  const strangeValue = fc.oneof(
    fc.constantFrom(
      '',
      '%00',
      '%',
      '%ff',
      '+',
      '%F0%9F%92%A5',
      '1e400',
      '-1',
      'a'.repeat(3_000),
      ...caller.tokens,
    ),
    fc.string({ unit: 'binary', maxLength: 20 }).map(encodable),
  );
  const rightly = Object.entries(target.query).map(([name, value]) =>
    fc
      .oneof(
        { weight: 10, arbitrary: fc.constant(caller.ids[value] ?? value) },
        { weight: 2, arbitrary: strangeValue },
        { weight: 1, arbitrary: fc.constant(null) },
      )
      .map((chosen) => (chosen === null ? [] : [`${name}=${chosen}`])),
  );
  const extra = fc.oneof(
    { weight: 10, arbitrary: fc.constant<string[]>([]) },
    {
      weight: 1,
      arbitrary: fc.array(
        fc
          .tuple(
            fc.constantFrom(
              '__proto__',
              'constructor',
              'token',
              'limit',
              'municipality_code',
              'a[]',
              '%00',
              '',
              '%',
            ),
            strangeValue,
          )
          .map(([name, value]) => `${name}=${value}`),
        { maxLength: 3 },
      ),
    },
  );
  return fc.tuple(fc.tuple(...rightly), extra).map(([known, more]) => [...known.flat(), ...more].join('&'));
}

/** Half a character is in no URL. */
function encodable(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const BYTE_PREFIXES = [
  [],
  [0xef, 0xbb, 0xbf],
  [0xff, 0xfe],
  [0xc0, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
];

function bodyOf(target: Target, caller: Caller): fc.Arbitrary<Uint8Array> {
  const document = nearlyRight(target.schema as NonNullable<Target['schema']>, caller.right, caller.tokens);
  const isLines = target.contentType === 'application/x-ndjson';
  const right = isLines
    ? fc.array(document, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n'))
    : document;
  const bytes = fc
    .tuple(fc.constantFrom(...BYTE_PREFIXES), fc.uint8Array({ maxLength: 40 }), right, fc.nat(3))
    .map(([prefix, noise, text, place]) => {
      const parts = [utf8(text)];
      parts.splice(place % 2, 0, Uint8Array.from(prefix), ...(place > 1 ? [noise] : []));
      return utf8Joined(parts);
    });
  return fc.oneof(
    { weight: 48, arbitrary: right.map(utf8) },
    { weight: 2, arbitrary: bytes },
    { weight: 1, arbitrary: strangeJson.map(utf8) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 1, arbitrary: fc.tuple(right, fc.nat(50)).map(([text, cut]) => utf8(text.slice(0, -cut - 1))) },
  );
}

function utf8Joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** Requests to one operation, each wrong in a few ways, or in none. */
export function hostileRequests(target: Target, caller: Caller): fc.Arbitrary<Plan> {
  const takesBody = target.schema !== null;
  const method = fc.oneof(
    { weight: 30, arbitrary: fc.constant(target.method) },
    { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
  );
  const contentType = fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(target.contentType, `${target.contentType}; charset="UTF-8"`) },
    { weight: 1, arbitrary: fc.constantFrom(...CONTENT_TYPES) },
  );
  const extra = fc.array(
    fc.oneof(tokenHeaders(caller.tokens), OTHER_HEADERS, header('Content-Type', ...CONTENT_TYPES)),
    { maxLength: 2 },
  );
  const headers = fc
    .tuple(contentType, fc.option(fc.constant(caller.headers), { freq: RARELY }), fc.nat(2), extra)
    .map(([type, credential, dice, more]) => [
      ...(takesBody ? [['Content-Type', type] as const] : []),
      ...Object.entries(credential ?? {}),
      // A third of the requests has strange headers.
      ...(dice === 0 ? more : []),
    ]);
  const body = takesBody ? bodyOf(target, caller) : fc.constant(null);
  const sent = fc.oneof(
    { weight: 40, arbitrary: fc.constant('whole' as const) },
    { weight: 4, arbitrary: fc.constant('streamed' as const) },
    { weight: 1, arbitrary: fc.constant('broken_off' as const) },
  );
  return fc
    .tuple(method, pathOf(target, caller), queryOf(target, caller), headers, body, sent)
    .map(([verb, path, search, allHeaders, content, way]) => ({
      method: verb,
      path: search === '' ? path : `${path}?${search}`,
      headers: allHeaders,
      body: verb === 'GET' || verb === 'HEAD' ? null : content,
      sent: way,
    }));
}

/** @returns null for what no client could send: the runtime makes no request of it */
export function requestOf(plan: Plan): Request | null {
  try {
    const headers = new Headers([['CF-Connecting-IP', '203.0.113.7']]);
    for (const [name, value] of plan.headers) {
      // One who sends a header twice sends both; of the right one's name, the strange one comes in its place.
      if (name === 'Authorization' || name === 'CF-Connecting-IP') headers.set(name, value);
      else headers.append(name, value);
    }
    return new Request(`https://parking.test${plan.path}`, {
      method: plan.method,
      headers,
      ...(plan.body !== null && { body: bodyAsSent(plan.body, plan.sent) }),
    });
  } catch {
    return null;
  }
}

function bodyAsSent(bytes: Uint8Array, way: Plan['sent']): BodyInit {
  if (way === 'whole') return bytes;
  let offset = 0;
  const piece = Math.max(1, Math.ceil(bytes.length / 3));
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (offset >= bytes.length) {
        if (way === 'streamed') controller.close();
        else controller.error(new Error('the client went away'));
        return;
      }
      controller.enqueue(bytes.slice(offset, offset + piece));
      offset += piece;
    },
  });
}

/** A request for whoever reads that it failed. */
export function shown({ method, path, headers, body, sent }: Plan): string {
  const text = body === null ? 'no body' : `${sent}: ${JSON.stringify(new TextDecoder().decode(body))}`;
  return [`${method} ${path}`, JSON.stringify(headers), text].map((line) => line.slice(0, 400)).join('\n');
}
