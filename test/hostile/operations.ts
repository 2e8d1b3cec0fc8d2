import type * as z from 'zod';
import type { Contract } from '../../src/serving/contract.ts';
import { bodyMediaType } from '../../tools/description/document/openapi/parts.ts';
import { OPERATIONS } from '../suites/operations.ts';
import { rightAnswerOf } from '../suites/right-answers.ts';

/** An operation, as those see it who mean it no good. */
export interface Target {
  readonly name: string;
  readonly method: string;
  /** `CREDENTIAL` and `CALL` stand for ids of such. */
  readonly path: string;
  readonly caller: 'credential' | 'administrator' | 'anybody';
  readonly contentType: string;
  /** What its body is made after; one document a line for an import. */
  readonly schema: z.ZodType | null;
  /** Names and right values of its query's parameters. */
  readonly query: Readonly<Record<string, string>>;
  /** Whether it writes nothing at all, whatever comes. */
  readonly readsOnly: boolean;
  /** Whether calls at once would get into each other's way, which is for other tests. */
  readonly oneByOne?: boolean;
  /** Whether it takes turns with others of its kind, or calls many objects: it is sent fewer requests. */
  readonly slow?: boolean;
  /** Whether another operation before it in the list answers in the same way: it is sent fewer requests. */
  readonly sharesRoute?: boolean;
  /** Whether its answer shows a new token. */
  readonly showsTokens: boolean;
  /** The tables where a refused call of it may leave something. */
  readonly writesWhenRefused: readonly string[];
}

const PARAMETERS = {
  'a credential': 'CREDENTIAL',
  'a revoked credential': 'REVOKED',
  'a call': 'CALL',
  'a public municipality': 'H501',
  'a facility': 'P1',
} as const;

function targetOf(operation: Contract): Target {
  const { id, method, access, body } = operation;
  const known = rightAnswerOf(operation);
  return {
    name: id,
    method,
    path: Object.entries(known.path ?? {}).reduce(
      (path, [name, stands]) => path.replace(`:${name}`, PARAMETERS[stands]),
      operation.path,
    ),
    caller: access.by,
    contentType: bodyMediaType(operation) ?? 'application/json',
    schema: known.bodySchema ?? (body?.kind === 'json' ? body.schema : null),
    query: known.allQuery ?? known.query ?? {},
    readsOnly: known.writes !== true,
    ...(known.oneByOne && { oneByOne: true }),
    ...(known.slow && { slow: true }),
    ...(operation.id === 'checkPlateAlias' && { sharesRoute: true }),
    showsTokens: known.showsTokens === true,
    writesWhenRefused: known.writesWhenRefused ?? [],
  };
}

const pageAt = (path: string, name: string): Target => ({
  name,
  method: 'GET',
  path,
  caller: 'anybody',
  contentType: 'application/json',
  schema: null,
  query: {},
  readsOnly: true,
  showsTokens: false,
  writesWhenRefused: [],
});

const PAGES = [
  pageAt('/', 'the page of all cities'),
  pageAt('/cities/H501', 'the page of a city'),
  pageAt('/board', 'the control room'),
  pageAt('/office', 'the office'),
  pageAt('/docs', 'the reference page'),
  pageAt('/widget/v1.js', 'the widget'),
];

/** Every operation, and the pages for people. */
export const TARGETS: readonly Target[] = [...OPERATIONS.map(targetOf), ...PAGES];

/** What stands in a property of this name when it is right. */
export const rightTexts = (now: number) => ({
  plate: ['AB123CD', 'ab-123.cd', 'ZZ999ZZ'],
  municipality_code: ['H501', 'H501', 'H501', 'F205', 'X1'],
  municipalities: ['H501'],
  area_code: ['S1', 'P1', 'P1', 'NONE'],
  checked_at: [new Date(now - 60_000).toISOString(), new Date(now + 2_000).toISOString()],
  event: ['verify', 'verify', 'entry', 'exit'],
  area_type: ['street', 'facility'],
  terminal_code: ['T-1'],
  session_id: ['s-1', 's-2', 's-3'],
  subscription_number: ['R-1', 'R-2'],
  type: ['RES', 'RES', 'NONE'],
  areas: ['S1', 'P1'],
  starts_at: [new Date(now - 3_600_000).toISOString()],
  valid_from: [new Date(now - 3_600_000).toISOString()],
  authorized_from: [new Date(now - 3_600_000).toISOString()],
  suspended_from: [new Date(now - 3_600_000).toISOString()],
  revoked_at: [new Date(now - 3_600_000).toISOString()],
  cancelled_at: [new Date(now - 3_600_000).toISOString()],
  ends_at: [new Date(now + 3_600_000).toISOString()],
  valid_until: [new Date(now + 3_600_000).toISOString()],
  authorized_until: [new Date(now + 3_600_000).toISOString()],
  suspended_until: [new Date(now + 3_600_000).toISOString()],
  tenant: ['acme', 'acme', 'beta', 'none'],
  ip_allowlist: ['203.0.113.0/24', '2001:db8::/32'],
  code: ['acme', 'H501', 'S1', 'P1', 'RES', 'NEW', 'app1'],
  timezone: ['Europe/Rome', 'UTC'],
  codice_tariffa: ['101', '102'],
  subscription_type: ['RES', 'NEW'],
  name: ['A name'],
  category: ['app'],
  source_code: ['app1'],
  expires_at: [new Date(now + 86_400_000).toISOString()],
  duration: ['P1M', 'P1Y'],
  descrizione: ['MENSILE'],
});
