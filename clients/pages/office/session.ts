import { createContext, useContext } from 'hono/jsx/dom';
import { type Client, createClient } from '../../client/client.ts';
import type { Answer, Input, JsonOperationId } from '../../client/operation-types.ts';
import { type Failure, failed, type Result } from '../../client/result.ts';
import type { CallOptions } from '../../client/settings.ts';
import { isHeaderText, language } from '../language.ts';
import type { Times } from './times.ts';

export type City = Answer<'getConfiguration'>['configuration']['municipalities'][number];

/** A city as it was read. A change names its version, so that it overwrites nobody's. */
export interface ReadCity {
  readonly city: City;
  readonly version: string;
}

/** A call that has no answer. */
export class CallFailed extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.code);
    this.failure = failure;
  }
}

/**
 * Calls an operation with the officer's reference.
 *
 * @throws CallFailed
 */
export type Ask = <Id extends JsonOperationId>(id: Id, input: Input<Id>) => Promise<Answer<Id>>;

/** Who works at the page. */
export interface Signed {
  readonly ask: Ask;
  /** For imports, which report their progress. */
  readonly client: Client;
  /** The officer's reference. */
  readonly call: CallOptions;
  readonly credential: Answer<'getOwnCredential'>['credential'];
  /** False for who may only look: nothing that changes something is shown. */
  readonly mayChange: boolean;
}

/** Who works at the page, and for which city. */
export interface Session extends Signed, ReadCity {
  /** The city's configuration has changed. */
  readonly setCity: (read: ReadCity) => void;
  readonly times: Times;
}

/** Each section stands within one. */
export const SessionContext = createContext({} as Session);
export const useSession = (): Session => useContext(SessionContext);

/** A token, and the reference of who works with it: every call carries both. */
export interface Entry {
  readonly token: string;
  readonly officer: string;
}

/** Refusals after which nothing works but another token. */
const ENDED: readonly string[] = ['TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_REVOKED', 'TENANT_DISABLED'];

/**
 * Signs a clerk in.
 *
 * @param onEnded is told that the token is of no use any more
 * @throws CallFailed for a token that is no office's
 */
export async function signIn(
  { token, officer }: Entry,
  onEnded: (failure: Failure) => void,
): Promise<Signed> {
  const refused = (code: Failure['code']) => new CallFailed({ ok: false, failure: 'misconfigured', code });
  if (!isHeaderText(token)) throw refused('TOKEN_INVALID');
  const client = createClient({ baseUrl: location.origin, token, language });
  const call = { officerReference: officer };
  const ask: Ask = async <Id extends JsonOperationId>(id: Id, input: Input<Id>): Promise<Answer<Id>> => {
    // Each operation's method takes its own input.
    const method = client[id] as (input: Input<Id>, options: CallOptions) => Promise<Result<Answer<Id>>>;
    const result = await method(input, call);
    if (result.ok) return result.answer;
    if (ENDED.includes(result.code)) onEnded(result);
    throw new CallFailed(result);
  };
  const { credential } = await ask('getOwnCredential', {});
  const mayChange = credential.scopes.includes('office');
  if (!mayChange && !credential.scopes.includes('office_read')) throw refused('SCOPE_NOT_ALLOWED');
  return { client, call, ask, credential, mayChange };
}

/** Reads a city. */
export async function readCity(ask: Ask, code: string): Promise<ReadCity> {
  const { configuration, version } = await ask('getConfiguration', { municipality_code: code });
  const [city] = configuration.municipalities;
  if (city === undefined) throw new CallFailed(failed('unavailable', 'NOT_OUR_ANSWER', ''));
  return { city, version };
}

/** Operations that answer in pages. */
type PagedId = 'exportPlate' | 'erasePlate' | 'findPaymentsForOffice' | 'listCredentials';

/** All pages of an answer. */
export async function allPages<Id extends PagedId>(
  ask: Ask,
  id: Id,
  input: Input<Id>,
): Promise<Answer<Id>[]> {
  const pages: Answer<Id>[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await ask(id, { ...input, ...(after !== undefined && { after }) });
    pages.push(page);
    const { next_after, next = next_after }: { next_after?: string | null; next?: string | null } = page;
    after = next ?? null;
  }
  return pages;
}

/** A plate that people write in several ways, in one. */
export const barePlate = (plate: string): string => plate.replaceAll(/[^\p{L}\p{N}]/gu, '').toUpperCase();

/** A name with its code, as people and devices know it. */
export const named = (name: string, code: string): string => (name === code ? code : `${name} (${code})`);

/** The items of a city as a list to choose from. */
export const choicesOf = (
  items: readonly { readonly code: string; readonly name: string }[],
): [string, string][] => items.map(({ code, name }) => [code, named(name, code)]);

export const areaName = ({ areas }: City, code: string): string =>
  named(areas.find((area) => area.code === code)?.name ?? code, code);
