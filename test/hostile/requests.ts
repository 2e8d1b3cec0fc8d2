import fc from 'fast-check';
import { mostly, nearly, strangeJson } from './json-text.ts';

/** A request before it is one: what fast-check can print, and take apart. */
export interface Plan {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | null;
  /** How the body comes: whole, in pieces of unknown length in all, or in pieces and broken off. */
  readonly sent: 'whole' | 'streamed' | 'broken_off';
}

/** A right call, which is to be bent. */
export interface RightCall {
  readonly method: string;
  /** Its path, without a query. */
  readonly path: string;
  /** What may be in the place of an id in the path. */
  readonly ids: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  /** With what lets it in. */
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  /** Right bodies: of lines, each is one. */
  readonly bodies: readonly unknown[];
  /** Names of the properties that a body may have. */
  readonly names: readonly string[];
  /** Tokens of the caller and of others. */
  readonly tokens: readonly string[];
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Ways to say, or nearly to say, the same path. */
const PATH_TWISTS: readonly ((path: string) => string)[] = [
  ...['/', '%00', '/%2e%2e/x', '/..%2f..%2fhealth', ';x=1', '%', '%ff%c0%af', `/${'a'.repeat(8_000)}`].map(
    (end) => (path: string) => path + end,
  ),
  (path) => `/${path}`,
  (path) => path.replaceAll('/', '//'),
  (path) => path.toUpperCase(),
  (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => path.slice(0, -1),
];

/** Half a character is in no URL. */
const anyText = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 20 })
  .map((text) => encodeURIComponent(text.toWellFormed()));
const strangeInUrl = fc.oneof(
  fc.constantFrom('%00', '%ff', '%', '..', '+', '-1', "'%20or%201=1", '%F0%9F%92%A5', '__proto__', '%2F'),
  fc.constantFrom('a'.repeat(3_000), '1e400'),
  anyText,
);

function pathOf({ path, ids, query, tokens }: RightCall): fc.Arbitrary<string> {
  const strangeId = strangeInUrl.map((strange) => ids.reduce((text, id) => text.replace(id, strange), path));
  const twisted = fc.constantFrom(...PATH_TWISTS).map((twist) => twist(path));
  const strangeValue = fc.oneof(strangeInUrl, fc.constantFrom('', ...tokens));
  const parameters = Object.entries(query).map(([name, value]) =>
    mostly(
      fc.constant<string[]>([`${name}=${value}`]),
      10,
      fc.constant([]),
      strangeValue.map((text) => [`${name}=${text}`]),
    ),
  );
  const names = ['__proto__', 'constructor', 'token', 'limit', 'municipality_code', 'a[]', '%00', '', '%'];
  const besides = fc.tuple(fc.constantFrom(...names), strangeValue).map((pair) => pair.join('='));
  return fc
    .tuple(
      mostly(fc.constant(path), 20, strangeId, twisted),
      fc.tuple(...parameters),
      mostly(fc.constant<string[]>([]), 10, fc.array(besides, { maxLength: 3 })),
    )
    .map(([called, known, more]) => {
      const search = [...known.flat(), ...more].join('&');
      return search === '' ? called : `${called}?${search}`;
    });
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const joined = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));
const BYTE_PREFIXES = [
  [0xef, 0xbb, 0xbf],
  [0xff, 0xfe],
  [0xc0, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
];

function bodyOf({ bodies, names, tokens, contentType }: RightCall): fc.Arbitrary<Uint8Array | null> {
  if (bodies.length === 0) return fc.constant(null);
  const document = fc.constantFrom(...bodies).chain((body) => nearly(body, names, tokens));
  const right = contentType.includes('ndjson')
    ? fc.array(document, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n'))
    : document;
  const prefixed = fc
    .tuple(fc.constantFrom(...BYTE_PREFIXES), right, fc.uint8Array({ maxLength: 40 }))
    .map(([prefix, text, noise]) => joined(Uint8Array.from(prefix), utf8(text), noise));
  const cut = fc.tuple(right, fc.nat(50)).map(([text, length]) => utf8(text.slice(0, -length - 1)));
  return mostly(right.map(utf8), 40, prefixed, cut, strangeJson.map(utf8), fc.uint8Array({ maxLength: 200 }));
}

/** Content types that are nearly right, or not at all. */
const CONTENT_TYPES = [
  ...[
    '',
    ';',
    'text/plain',
    'application/json;',
    'application/json; charset',
    'application/json; charset="utf-8',
  ],
  ...['application/json; charset=utf-16', 'application/json;charset=UTF-8;charset=utf-7', 'APPLICATION/JSON'],
  ...['application/json, text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'],
  `application/json; charset=${' '.repeat(300)}"x`,
];

/** What is beyond ASCII, the runtime sends as it likes: a test with a socket of its own sends that. */
const header = (name: string, ...values: string[]) =>
  fc
    .oneof(fc.constantFrom(...values), fc.string({ unit: 'grapheme-ascii' }))
    .map((value): [string, string] => [name, value]);

/** Tokens of a form that is nearly right, or not at all. */
function tokenHeaders([token = '', ...others]: readonly string[]) {
  const [prefix, kind, id, secret, checksum] = token.split('_');
  const strange = [
    ...[token.slice(0, -1), `${token}0`, token.toUpperCase(), token.replace('_at_', '_ak_'), ` ${token}`],
    ...[
      `${prefix}_${kind}_${id}_${checksum}_${secret}`,
      `${token},${token}`,
      `${token} ${token}`,
      `"${token}"`,
    ],
    ...[token.replaceAll('0', 'o'), 'pev_at_', 'x', 'a'.repeat(10_000), `pev_at_${'0'.repeat(9_000)}`],
    ...others,
  ];
  const schemes = ['', 'Bearer', 'Bearer  ', 'bearer\tx', 'Bearer Bearer x', 'Digest a="b", Bearer x'];
  return fc.oneof(
    header('Authorization', ...strange.flatMap((one) => [`Bearer ${one}`, one, `Basic ${one}`])),
    header('Authorization', ...schemes),
    header('X-Service-Token', ...strange),
    header('X-Api-Key', ...strange),
  );
}

/** Headers that the service reads, and ones that it must not. */
const OTHER_HEADERS = fc.oneof(
  header('Accept-Language', '*', 'it;q=2, en;q=-1', 'it,'.repeat(3_000), 'a;'.repeat(4_000), ';'),
  header('If-None-Match', '*', 'W/"x"', '"'.repeat(999), 'W/'.repeat(4_000), ','.repeat(8_000)),
  header('CF-Connecting-IP', '', '::', '::1%lo', '1.2.3', '1'.repeat(9_000), '203.0.113.7, 198.51.100.1'),
  header('Content-Length', '', '0', '-1', '1e9', '0x10', '99999999999999999999', 'NaN', '5, 5'),
  header('Content-Encoding', 'gzip', 'br', 'identity'),
  header('Origin', 'null', 'https://evil.test'),
  header('X-Request-Id', '0', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'),
  header('X-HTTP-Method-Override', 'DELETE'),
  header('X-Forwarded-For', '127.0.0.1'),
  header('Officer-Reference', 'two words', 'x'.repeat(999)),
  header('Range', 'bytes=0-1', 'bytes=9-1,0-'),
);

/** Requests that are wrong in a few ways, or in none. */
export function hostileRequests(right: RightCall): fc.Arbitrary<Plan> {
  const { method, headers, contentType, tokens } = right;
  const extra = fc.oneof(tokenHeaders(tokens), OTHER_HEADERS, header('Content-Type', ...CONTENT_TYPES));
  const types = fc.constantFrom(contentType, `${contentType}; charset="UTF-8"`);
  return fc
    .record({
      method: mostly(fc.constant(method), 30, fc.constantFrom(...METHODS)),
      path: pathOf(right),
      type: mostly(types, 40, fc.constantFrom(...CONTENT_TYPES)),
      isLetIn: mostly(fc.constant(true), 20, fc.constant(false)),
      more: mostly(fc.constant<[string, string][]>([]), 2, fc.array(extra, { minLength: 1, maxLength: 2 })),
      body: bodyOf(right),
      sent: mostly<Plan['sent']>(fc.constant('whole'), 40, fc.constantFrom('streamed', 'broken_off')),
    })
    .map(({ type, isLetIn, more, body, ...plan }) => ({
      ...plan,
      headers: [
        ...(body === null ? [] : [['Content-Type', type] as const]),
        ...(isLetIn ? Object.entries(headers) : []),
        ...more,
      ],
      body: plan.method === 'GET' || plan.method === 'HEAD' ? null : body,
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
      if (offset < bytes.length) {
        controller.enqueue(bytes.slice(offset, offset + piece));
        offset += piece;
      } else if (way === 'streamed') controller.close();
      else controller.error(new Error('the client went away'));
    },
  });
}

/** A request for whoever reads that it failed. */
export function shown({ method, path, headers, body, sent }: Plan): string {
  const text = body === null ? 'no body' : `${sent}: ${JSON.stringify(new TextDecoder().decode(body))}`;
  return [`${method} ${path}`, JSON.stringify(headers), text].map((line) => line.slice(0, 400)).join('\n');
}
