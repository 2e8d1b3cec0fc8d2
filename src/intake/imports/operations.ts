import { IMPORT_BODY } from '../../serving/http/body.ts';
import { type CredentialAccess, operation } from '../../serving/pipeline/operation.ts';
import { importResponse, sessionImportQuery, subscriptionImportQuery } from './contract.ts';
import { importSessionFile } from './import-sessions.ts';
import { importSubscriptionFile } from './import-subscriptions.ts';

const access = {
  by: 'credential',
  scope: 'import',
  budget: 'imports',
  tokenHeaders: 'authorization_only',
} as const satisfies CredentialAccess;

const common = {
  method: 'POST',
  // Batches have deadlines of their own, and a file has at most some hundred, which take seconds. This deadline only
  // keeps a slow database from holding the caller forever.
  deadlineMs: 300_000,
  body: { kind: 'lines', maxBytes: IMPORT_BODY },
  answer: importResponse,
} as const;

/** Imports parking sessions, which operators send. */
export const importSessions = operation({
  ...common,
  id: 'importSessions',
  path: '/api/v2/imports/sessions',
  access,
  query: sessionImportQuery,
  errors: ['SOURCE_NOT_FOUND'],
  log: { operation: 'import_sessions' },
  handle: (request, context) => importSessionFile({ request, context }),
});

/** Imports subscriptions: the office sends them. */
export const importSubscriptions = operation({
  ...common,
  id: 'importSubscriptions',
  path: '/api/v2/imports/subscriptions',
  access: { ...access, importsBeyondSource: true },
  query: subscriptionImportQuery,
  log: { operation: 'import_subscriptions' },
  handle: (request, context) => importSubscriptionFile({ request, context }),
});
