import { OPERATIONS } from '../types/operations.ts';
import {
  type BackupInput,
  backUpMunicipality,
  type RestoreInput,
  restoreMunicipality,
} from './backup/backup.ts';
import type { BackupPart } from './backup/part.ts';
import { Caller } from './caller.ts';
import { type ImportInput, type ImportOptions, type ImportResult, importLines } from './imports/import.ts';
import type { LineSource } from './imports/parts.ts';
import { isObject } from './json.ts';
import {
  type EntitlementListInput,
  type EntitlementListPage,
  entitlementListPage,
  entitlementListPages,
} from './list/pages.ts';
import type { Answer, Input, JsonOperationId } from './operation-types.ts';
import type { Result } from './result.ts';
import type { CallOptions, ClientSettings } from './settings.ts';

/** A method of the client. Its argument is optional if no property in it is required. */
export type Method<Id extends JsonOperationId> =
  Record<never, never> extends Input<Id>
    ? (input?: Input<Id>, options?: CallOptions) => Promise<Result<Answer<Id>>>
    : (input: Input<Id>, options?: CallOptions) => Promise<Result<Answer<Id>>>;

/** Every operation that takes an object and answers with one, by its id in the description. */
export type JsonOperations = { readonly [Id in JsonOperationId]: Method<Id> };

/**
 * Every operation of the service. No method throws or rejects: each error is a `Failure`.
 *
 * A browser lets a page of another origin call `reportActiveByArea`, `getDescription` and the public
 * operations only: every other call is `unavailable` there (`NETWORK_ERROR`). Any visitor can read a token in
 * a page, and a plate check shows where people are: ask from a server of your own.
 */
export interface Client extends JsonOperations {
  /** Imports parking sessions, in parts that are stored one after the other. */
  importSessions(
    source: LineSource,
    input?: ImportInput & { readonly source_code?: string },
    options?: ImportOptions,
  ): Promise<ImportResult>;
  /** Imports subscriptions, in parts that are stored one after the other. */
  importSubscriptions(
    source: LineSource,
    input?: ImportInput,
    options?: ImportOptions,
  ): Promise<ImportResult>;
  /** One page of a facility's entitlement list, or of its changes since a cursor. */
  getEntitlementListPage(
    input: EntitlementListInput,
    options?: CallOptions,
  ): Promise<Result<EntitlementListPage>>;
  /**
   * The pages of a facility's entitlement list, one after the other; with a cursor, its changes since. It
   * ends after the last page, or after the first failure, which it yields too (`CURSOR_GONE`: take the full
   * list).
   */
  entitlementListPages(
    input: EntitlementListInput,
    options?: CallOptions,
  ): AsyncGenerator<Result<EntitlementListPage>, void, void>;
  /** The next part of a municipality's backup, at most 8 MiB. `CURSOR_GONE`: begin again. */
  backUpMunicipality(input: BackupInput, options?: CallOptions): Promise<Result<BackupPart>>;
  /** Sends the parts of a backup, one by one and in their order; the last one until it answers `done`. */
  restoreMunicipality(
    input: RestoreInput,
    options?: CallOptions,
  ): Promise<Result<Answer<'restoreMunicipality'>>>;
}

/**
 * Makes a client of the service.
 *
 * @throws TypeError for invalid settings: an address without https, a token with a blank in it
 */
export function createClient(settings: ClientSettings): Client {
  return clientOf(new Caller(settings));
}

/** A client that calls by a caller of its own. */
export function clientOf(caller: Caller): Client {
  return {
    ...jsonOperations(caller),
    importSessions: (source, input = {}, options = {}) =>
      importLines(caller, 'importSessions', source, input, options),
    importSubscriptions: (source, input = {}, options = {}) =>
      importLines(caller, 'importSubscriptions', source, input, options),
    getEntitlementListPage: (input, options = {}) => entitlementListPage(caller, input, options),
    entitlementListPages: (input, options = {}) => entitlementListPages(caller, input, options),
    backUpMunicipality: (input, options = {}) => backUpMunicipality(caller, input, options),
    restoreMunicipality: (input, options = {}) => restoreMunicipality(caller, input, options),
  };
}

/** A method for each operation of the table: a new operation of the service needs no line here. */
function jsonOperations(caller: Caller): JsonOperations {
  const methods: Record<string, (input?: unknown, options?: CallOptions) => Promise<unknown>> = {};
  for (const id of Object.keys(OPERATIONS).filter(isJsonOperation)) {
    methods[id] = (input, options) => caller.json(id, isObject(input) ? input : {}, options);
  }
  return madeFor(methods);
}

function isJsonOperation(id: string): id is JsonOperationId {
  const table: Readonly<Record<string, { readonly body: string; readonly answer: unknown }>> = OPERATIONS;
  const operation = table[id];
  return operation !== undefined && operation.body !== 'lines' && operation.answer !== null;
}

/** The table and the types are made from the same description: there is a method for each id, and it takes its input. */
function madeFor(methods: Record<string, unknown>): JsonOperations {
  return methods as unknown as JsonOperations;
}
