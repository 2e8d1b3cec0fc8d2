import { BUDGET_NAMES } from '../../../../src/serving/access/scopes.ts';
import type { Contract } from '../../../../src/serving/contract.ts';

interface Header {
  readonly description: string;
  readonly schema: object;
  readonly example: string | number;
  /** Whether an operation's answer of a status has it. */
  readonly on: (operation: Contract, status: number) => boolean | 'maybe';
}

const text = (maxLength: number) => ({ type: 'string', maxLength });

/** A budget is known once it has been checked. The administrator has none, but may meet a bound of the operation. */
function hasBudget({ access, errors = [] }: Contract, status: number): boolean | 'maybe' {
  if (access.by === 'anybody' || status === 401 || status === 405) return false;
  if (access.by === 'credential') return status === 403 || status === 500 ? 'maybe' : true;
  if (access.office === 'nothing') return false;
  return status === 429 && !errors.includes('RATE_LIMIT_EXCEEDED') ? true : 'maybe';
}

const isCached = ({ cached }: Contract, status: number): boolean => cached === true && status < 400;

/** The headers of answers, by name. */
const HEADERS = {
  'X-Request-Id': {
    description:
      'The id of the call, made by the service. An id that a client sends is ignored. It is also in the body, if there is one. Quote it to support.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
    example: '7f1b6f6e-6f0e-4a53-9d0c-0d7f4f6c1b52',
    on: () => true,
  },
  'X-Service-Version': {
    description: 'The id of the deployed version that answered. Quote it to support.',
    schema: text(36),
    example: '1f0c6d3e-2b7a-4c1d-9e55-0a6b8c7d9e10',
    on: () => true,
  },
  'Cache-Control': {
    description: 'Whether the answer may be cached. Only this description and public answers may.',
    schema: { type: 'string', enum: ['no-store, private', 'public, max-age=30', 'public, max-age=300'] },
    example: 'no-store, private',
    on: () => true,
  },
  'X-Content-Type-Options': {
    description: 'The media type must not be guessed.',
    schema: { type: 'string', const: 'nosniff' },
    example: 'nosniff',
    on: () => true,
  },
  'Strict-Transport-Security': {
    description: 'The service must only be called over HTTPS from now on.',
    schema: { type: 'string', pattern: '^max-age=\\d+$', maxLength: 40 },
    example: 'max-age=63072000',
    on: () => true,
  },
  'Content-Language': {
    description:
      'The language of the texts for people: Italian if `Accept-Language` prefers it, else English.',
    schema: { type: 'string', enum: ['en', 'it'] },
    example: 'en',
    on: ({ answer }, status) => status !== 304 && (answer !== null || status !== 200),
  },
  'WWW-Authenticate': {
    description: 'The challenge of RFC 6750. It has no `error` if no credential was sent.',
    schema: { type: 'string', pattern: '^Bearer realm="parking-entitlements"', maxLength: 200 },
    example: 'Bearer realm="parking-entitlements", error="invalid_token"',
    on: (_, status) => (status === 403 ? 'maybe' : status === 401),
  },
  Allow: {
    description: 'The methods of this path.',
    schema: text(80),
    example: 'POST',
    on: (_, status) => status === 405,
  },
  'Retry-After': {
    description:
      'Try again after this many seconds. The call is then admitted, if no other client uses the credential.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86_400 },
    example: 12,
    on: (_, status) => status === 429 || status >= 500,
  },
  RateLimit: {
    description:
      'The budget’s name, the calls left in it (`r`), and the seconds until some of it is available again (`t`), as in the IETF draft on RateLimit header fields.',
    schema: { type: 'string', pattern: `^"(${BUDGET_NAMES.join('|')})";r=\\d+;t=\\d+$`, maxLength: 80 },
    example: '"calls";r=117;t=42',
    on: hasBudget,
  },
  'RateLimit-Policy': {
    description: 'The budget’s name, its calls (`q`) in any window, and the window’s seconds (`w`).',
    schema: { type: 'string', pattern: `^"(${BUDGET_NAMES.join('|')})";q=\\d+;w=\\d+$`, maxLength: 80 },
    example: '"calls";q=120;w=60',
    on: hasBudget,
  },
  'X-Service-Report': {
    description: 'The name of the report. Every answer has it, whatever its status.',
    schema: { type: 'string', const: 'active_by_area' },
    example: 'active_by_area',
    on: ({ headers = {} }) => 'X-Service-Report' in headers,
  },
  'X-Service-Report-Version': {
    description: 'The version of the report.',
    schema: { type: 'string', const: '1.0' },
    example: '1.0',
    on: ({ headers = {} }) => 'X-Service-Report-Version' in headers,
  },
  'Access-Control-Allow-Origin': {
    description: 'Pages of any origin may read the answer. No cookies are used.',
    schema: { type: 'string', const: '*' },
    example: '*',
    on: ({ crossOrigin }) => crossOrigin !== undefined,
  },
  'Access-Control-Expose-Headers': {
    description: 'The response headers that such a page may read.',
    schema: text(400),
    example: 'X-Request-Id,Retry-After',
    on: ({ crossOrigin }) => crossOrigin !== undefined,
  },
  ETag: {
    description: 'Identifies this version of the answer. Send it back in `If-None-Match`.',
    schema: { type: 'string', pattern: '^(W/)?"[^"]*"$', maxLength: 200 },
    example: '"946a5e567a7a36e48d39b6ca089ee2fc"',
    on: isCached,
  },
  Vary: {
    description: 'The header of the request that the answer depends on.',
    schema: { type: 'string', const: 'Accept-Language' },
    example: 'Accept-Language',
    on: (of, status) => isCached(of, status) && of.answer !== null,
  },
} as const satisfies Record<string, Header>;

type HeaderName = keyof typeof HEADERS;
const HEADER_NAMES = Object.keys(HEADERS) as HeaderName[];

/** The headers of operations' answers of a status, each with whether all of them always have it. */
export function headersOf(operations: readonly Contract[], status: number): ReadonlyMap<HeaderName, boolean> {
  const found = HEADER_NAMES.map(
    (name) => [name, operations.map((of) => HEADERS[name].on(of, status))] as const,
  );
  const present = found.filter(([, answers]) => answers.some(Boolean));
  return new Map(present.map(([name, answers]) => [name, answers.every((answer) => answer === true)]));
}

/** Headers in the document's form. A reference cannot say whether one is required, so each case is a component. */
export const headerRefs = (headers: ReadonlyMap<HeaderName, boolean>): object =>
  Object.fromEntries(
    [...headers].map(([name, required]) => [
      name,
      { $ref: `#/components/headers/${required ? name : `${name}.optional`}` },
    ]),
  );

/** The headers that the parts of the document refer to, as components. */
export function headerComponents(parts: readonly object[]): object {
  const text = JSON.stringify(parts);
  const all = Object.entries(HEADERS).flatMap(([name, { on: _, ...header }]): [string, object][] => [
    [name, { ...header, required: true }],
    [`${name}.optional`, { ...header, required: false }],
  ]);
  return Object.fromEntries(all.filter(([name]) => text.includes(`"#/components/headers/${name}"`)));
}
