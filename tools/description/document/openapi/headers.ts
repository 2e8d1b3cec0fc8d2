import { BUDGET_NAMES } from '../../../../src/serving/access/scopes.ts';
import type { Contract } from '../../../../src/serving/contract.ts';

interface Header {
  readonly description: string;
  readonly schema: object;
  readonly example: string | number;
}

const text = (maxLength: number) => ({ type: 'string', maxLength });

/** The headers of answers, by name. */
const HEADERS = {
  'X-Request-Id': {
    description:
      'The id of the call, made by the service. An id that a client sends is ignored. It is also in the body, if there is one. Quote it to support.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
    example: '7f1b6f6e-6f0e-4a53-9d0c-0d7f4f6c1b52',
  },
  'X-Service-Version': {
    description: 'The id of the deployed version that answered. Quote it to support.',
    schema: text(36),
    example: '1f0c6d3e-2b7a-4c1d-9e55-0a6b8c7d9e10',
  },
  'Cache-Control': {
    description: 'Whether the answer may be cached. Only this description and public answers may.',
    schema: { type: 'string', enum: ['no-store, private', 'public, max-age=30', 'public, max-age=300'] },
    example: 'no-store, private',
  },
  'X-Content-Type-Options': {
    description: 'The media type must not be guessed.',
    schema: { type: 'string', const: 'nosniff' },
    example: 'nosniff',
  },
  'Strict-Transport-Security': {
    description: 'The service must only be called over HTTPS from now on.',
    schema: { type: 'string', pattern: '^max-age=\\d+$', maxLength: 40 },
    example: 'max-age=63072000',
  },
  'Content-Language': {
    description:
      'The language of the texts for people: Italian if `Accept-Language` prefers it, else English.',
    schema: { type: 'string', enum: ['en', 'it'] },
    example: 'en',
  },
  'WWW-Authenticate': {
    description: 'The challenge of RFC 6750. It has no `error` if no credential was sent.',
    schema: { type: 'string', pattern: '^Bearer realm="parking-entitlements"', maxLength: 200 },
    example: 'Bearer realm="parking-entitlements", error="invalid_token"',
  },
  Allow: { description: 'The methods of this path.', schema: text(80), example: 'POST' },
  'Retry-After': {
    description:
      'Try again after this many seconds. The call is then admitted, if no other client uses the credential.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86_400 },
    example: 12,
  },
  RateLimit: {
    description:
      'The budget’s name, the calls left in it (`r`), and the seconds until some of it is available again (`t`), as in the IETF draft on RateLimit header fields.',
    schema: { type: 'string', pattern: `^"(${BUDGET_NAMES.join('|')})";r=\\d+;t=\\d+$`, maxLength: 80 },
    example: '"calls";r=117;t=42',
  },
  'RateLimit-Policy': {
    description: 'The budget’s name, its calls (`q`) in any window, and the window’s seconds (`w`).',
    schema: { type: 'string', pattern: `^"(${BUDGET_NAMES.join('|')})";q=\\d+;w=\\d+$`, maxLength: 80 },
    example: '"calls";q=120;w=60',
  },
  'X-Service-Report': {
    description: 'The name of the report. Every answer has it, whatever its status.',
    schema: { type: 'string', const: 'active_by_area' },
    example: 'active_by_area',
  },
  'X-Service-Report-Version': {
    description: 'The version of the report.',
    schema: { type: 'string', const: '1.0' },
    example: '1.0',
  },
  'Access-Control-Allow-Origin': {
    description: 'Pages of any origin may read the answer. No cookies are used.',
    schema: { type: 'string', const: '*' },
    example: '*',
  },
  'Access-Control-Expose-Headers': {
    description: 'The response headers that such a page may read.',
    schema: text(400),
    example: 'X-Request-Id,Retry-After',
  },
  ETag: {
    description: 'Identifies this version of the answer. Send it back in `If-None-Match`.',
    schema: { type: 'string', pattern: '^(W/)?"[^"]*"$', maxLength: 200 },
    example: '"946a5e567a7a36e48d39b6ca089ee2fc"',
  },
  Vary: {
    description: 'The header of the request that the answer depends on.',
    schema: { type: 'string', const: 'Accept-Language' },
    example: 'Accept-Language',
  },
} as const satisfies Record<string, Header>;

type HeaderName = keyof typeof HEADERS;
const HEADER_NAMES = Object.keys(HEADERS) as HeaderName[];

/** The headers of an operation's answer of this status, each with whether it is always present. */
export function headersOf(operation: Contract, status: number): ReadonlyMap<HeaderName, boolean> {
  const headers = new Map<HeaderName, boolean>([
    ['X-Request-Id', true],
    ['X-Service-Version', true],
    ['Cache-Control', true],
    ['X-Content-Type-Options', true],
    ['Strict-Transport-Security', true],
  ]);
  if (status !== 304 && !isAsset(operation, status)) headers.set('Content-Language', true);
  if (status === 401) headers.set('WWW-Authenticate', true);
  if (status === 403) headers.set('WWW-Authenticate', false);
  if (status === 405) headers.set('Allow', true);
  if (status === 429 || status >= 500) headers.set('Retry-After', true);
  const budget = status === 401 || status === 405 ? null : budgetHeaders(operation, status);
  if (budget !== null) headers.set('RateLimit', budget).set('RateLimit-Policy', budget);
  for (const name of Object.keys(operation.headers)) {
    headers.set(headerName(name), true);
  }
  if (operation.crossOrigin) {
    headers.set('Access-Control-Allow-Origin', true).set('Access-Control-Expose-Headers', true);
  }
  for (const name of cachedHeaders(operation, status)) {
    headers.set(name, true);
  }
  return headers;
}

/** Whether an answer always has the headers of a budget; null: never. */
function budgetHeaders(operation: Contract, status: number): boolean | null {
  // Only known once the budget has been checked.
  if (operation.access.by === 'credential') return status !== 403 && status !== 500;
  // The administrator has no budget, but may meet a bound of the operation.
  return isOfficeToo(operation) ? status === 429 && !operation.errors.includes('RATE_LIMIT_EXCEEDED') : null;
}

const isOfficeToo = ({ access }: Contract): boolean =>
  access.by === 'administrator' && access.office !== 'nothing';

const isAsset = ({ answer }: Contract, status: number): boolean => answer === null && status === 200;

/** The headers of an answer that clients may cache. */
function cachedHeaders({ cached, answer }: Contract, status: number): readonly HeaderName[] {
  if (!cached || status >= 400) return [];
  return answer === null ? ['ETag'] : ['ETag', 'Vary'];
}

/** @throws Error for a header that is not described here */
function headerName(name: string): HeaderName {
  const found = HEADER_NAMES.find((candidate) => candidate === name);
  if (found === undefined) {
    throw new Error(`the header ${name} has no description`);
  }
  return found;
}

/** Those of all operations' answers of this status. Only what each of them always has is always present. */
export function sharedHeaders(
  operations: readonly Contract[],
  status: number,
): ReadonlyMap<HeaderName, boolean> {
  const each = operations.map((operation) => headersOf(operation, status));
  const names = HEADER_NAMES.filter((name) => each.some((headers) => headers.has(name)));
  return new Map(names.map((name) => [name, each.every((headers) => headers.get(name) === true)]));
}

/** Headers in the document's form. */
export function headerRefs(headers: ReadonlyMap<HeaderName, boolean>): object {
  return Object.fromEntries(
    [...headers].map(([name, required]) => [
      name,
      // A reference cannot say whether the header is required, so each of the two cases is a component.
      { $ref: `#/components/headers/${required ? name : optionalName(name)}` },
    ]),
  );
}

const optionalName = (name: HeaderName): string => `${name}.optional`;

/** The headers that the parts of the document refer to, as components. */
export function headerComponents(parts: readonly object[]): object {
  const text = JSON.stringify(parts);
  const all = HEADER_NAMES.flatMap((name): [string, object][] => [
    [name, { ...HEADERS[name], required: true }],
    [optionalName(name), { ...HEADERS[name], required: false }],
  ]);
  return Object.fromEntries(all.filter(([name]) => text.includes(`"#/components/headers/${name}"`)));
}
