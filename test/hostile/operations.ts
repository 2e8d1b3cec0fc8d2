import type * as z from 'zod';
import { reportRequest } from '../../src/active-by-area/request.ts';
import { configurationDocument } from '../../src/admin/configuration/document.ts';
import {
  changeRequest,
  emptyRequest,
  issueRequest,
  rotateRequest,
} from '../../src/admin/credentials/request.ts';
import { sessionLine } from '../../src/imports/session-line.ts';
import { subscriptionLine } from '../../src/imports/subscription-line.ts';
import { plateCheckRequest, plateCheckV1Request } from '../../src/plate-check/request.ts';
import { optionsRequest } from '../../src/subscription-options/request.ts';

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
  readonly sharesRoute?: boolean;
}

const query = {
  method: 'POST',
  caller: 'credential',
  contentType: 'application/json',
  query: {},
  readsOnly: true,
} as const;
const anImport = { ...query, contentType: 'application/x-ndjson', readsOnly: false } as const;
const admin = { ...query, caller: 'administrator', readsOnly: false } as const;
const read = { ...admin, method: 'GET', schema: null, readsOnly: true } as const;
const open = { ...read, caller: 'anybody' } as const;

export const TARGETS: readonly Target[] = [
  { ...query, name: 'plate check', path: '/api/v2/parking-entitlements/search', schema: plateCheckRequest },
  {
    ...query,
    name: 'its alias',
    path: '/api/v2/parking/check-plate',
    schema: plateCheckRequest,
    sharesRoute: true,
  },
  { ...query, name: 'V1', path: '/api/v1/parking/check-plate', schema: plateCheckV1Request },
  {
    ...query,
    name: 'subscription options',
    path: '/api/v2/parking-meters/subscription-options',
    schema: optionsRequest,
  },
  { ...query, name: 'report', path: '/api/v2/parking/reports/active-by-area', schema: reportRequest },
  {
    ...anImport,
    name: 'sessions import',
    path: '/api/v2/imports/sessions',
    schema: sessionLine,
    query: { municipality_code: 'H501', source_code: 'app1' },
  },
  {
    ...anImport,
    name: 'subscriptions import',
    path: '/api/v2/imports/subscriptions',
    schema: subscriptionLine,
    query: { municipality_code: 'H501' },
  },
  { ...read, name: 'health', path: '/health', caller: 'anybody' },
  { ...open, name: 'description', path: '/api/v2/openapi.json' },
  { ...open, name: 'reference page', path: '/docs' },
  { ...read, name: 'call look-up', path: '/api/v2/admin/calls/CALL' },
  {
    ...read,
    name: 'credentials, list',
    path: '/api/v2/admin/credentials',
    query: { tenant: 'acme', municipality_code: 'H501', limit: '2', after: 'CREDENTIAL' },
  },
  { ...admin, name: 'credentials, issue', path: '/api/v2/admin/credentials', schema: issueRequest },
  {
    ...admin,
    name: 'credentials, change',
    method: 'PATCH',
    path: '/api/v2/admin/credentials/CREDENTIAL',
    schema: changeRequest,
    oneByOne: true,
  },
  {
    ...admin,
    name: 'credentials, rotate',
    path: '/api/v2/admin/credentials/CREDENTIAL/rotate',
    schema: rotateRequest,
    oneByOne: true,
  },
  {
    ...admin,
    name: 'credentials, revoke',
    path: '/api/v2/admin/credentials/REVOKED/revoke',
    schema: emptyRequest,
    oneByOne: true,
  },
  {
    ...admin,
    name: 'credentials, reconcile',
    path: '/api/v2/admin/credentials/reconcile',
    schema: emptyRequest,
    oneByOne: true,
  },
  {
    ...read,
    name: 'configuration, get',
    path: '/api/v2/admin/configuration',
    query: { municipality_code: 'H501' },
  },
  {
    ...admin,
    name: 'configuration, put',
    method: 'PUT',
    path: '/api/v2/admin/configuration',
    schema: configurationDocument,
  },
];

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
