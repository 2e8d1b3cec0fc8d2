import type { BudgetName } from '../../src/access/admission.ts';
import type { Scope } from '../../src/access/credential-record.ts';

/** An operation that a credential calls, as the shared suite sees it. */
export interface Operation {
  readonly name: string;
  readonly path: string;
  readonly scope: Scope;
  readonly budget: BudgetName;
  readonly tokenHeaders: 'all' | 'authorization_only';
  readonly contentType: string;
  /** A body that is answered with 200. */
  readonly body: string;
  readonly maxBytes: number;
  /** Whether it goes on from the database while the credential's object is away. */
  readonly fallsBack: boolean;
  /** Past it the answer is a 500. Absent where many round trips have one each. */
  readonly deadlineMs?: number;
  /** Whether pages of any origin may call it, preflight included. */
  readonly cors?: boolean;
}

const KIB = 1024;

const plateCheck = {
  scope: 'plate_check',
  budget: 'calls',
  tokenHeaders: 'all',
  contentType: 'application/json',
  body: '{"plate":"AB123CD"}',
  maxBytes: 64 * KIB,
  fallsBack: true,
  deadlineMs: 2_000,
} as const;

const subscriptionOptions = {
  ...plateCheck,
  scope: 'subscription_options',
  budget: 'options',
  tokenHeaders: 'authorization_only',
  fallsBack: false,
} as const;

const report = {
  ...plateCheck,
  scope: 'report',
  body: '{}',
  fallsBack: false,
  deadlineMs: 5_000,
  cors: true,
} as const;

const anImport = {
  scope: 'import',
  budget: 'imports',
  tokenHeaders: 'authorization_only',
  contentType: 'application/x-ndjson',
  body: '\n',
  maxBytes: 8 * KIB * KIB,
  fallsBack: false,
} as const;

export const OPERATIONS: readonly Operation[] = [
  { name: 'plate check', path: '/api/v2/parking-entitlements/search', ...plateCheck },
  { name: 'plate check, alias', path: '/api/v2/parking/check-plate', ...plateCheck },
  { name: 'plate check, V1', path: '/api/v1/parking/check-plate', ...plateCheck },
  {
    name: 'subscription options',
    path: '/api/v2/parking-meters/subscription-options',
    ...subscriptionOptions,
  },
  { name: 'active by area', path: '/api/v2/parking/reports/active-by-area', ...report },
  { name: 'sessions import', path: '/api/v2/imports/sessions?source_code=app1', ...anImport },
  { name: 'subscriptions import', path: '/api/v2/imports/subscriptions', ...anImport },
];

/** What the administrator calls. */
export const ADMIN_OPERATIONS = [
  { method: 'PUT', path: '/api/v2/admin/configuration', allow: 'GET, PUT', takesBody: true },
  {
    method: 'GET',
    path: '/api/v2/admin/configuration?municipality_code=H501',
    allow: 'GET, PUT',
    takesBody: false,
  },
  { method: 'POST', path: '/api/v2/admin/credentials', allow: 'GET, POST', takesBody: true },
  { method: 'GET', path: '/api/v2/admin/credentials', allow: 'GET, POST', takesBody: false },
  { method: 'POST', path: '/api/v2/admin/credentials/reconcile', allow: 'POST', takesBody: false },
  { method: 'PATCH', path: '/api/v2/admin/credentials/0123456789ab', allow: 'PATCH', takesBody: true },
  { method: 'POST', path: '/api/v2/admin/credentials/0123456789ab/rotate', allow: 'POST', takesBody: true },
  { method: 'POST', path: '/api/v2/admin/credentials/0123456789ab/revoke', allow: 'POST', takesBody: false },
  { method: 'GET', path: '/api/v2/admin/calls/0123456789ab', allow: 'GET', takesBody: false },
] as const;
