import { createContext, useContext, useRef, useState } from 'hono/jsx/dom';
import type { Client } from '../../client/client.ts';
import type { Answer } from '../../client/operation-types.ts';
import { type Failure, failed, type Result } from '../../client/result.ts';
import type { CallOptions } from '../../client/settings.ts';
import type { Times } from './times.ts';

export type Credential = Answer<'getOwnCredential'>['credential'];
export type City = Answer<'getConfiguration'>['configuration']['municipalities'][number];

/** A city as it was read. A change names its version, so that it overwrites nobody's. */
export interface ReadCity {
  readonly city: City;
  readonly version: string;
}

/** Who works at the page, and for which city. */
export interface Session {
  readonly client: Client;
  /** The officer's reference, for every call. */
  readonly call: CallOptions;
  readonly credential: Credential;
  /** False for who may only look: nothing that changes something is shown. */
  readonly mayChange: boolean;
  readonly city: City;
  /** The city's version. */
  readonly version: string;
  /** The city's configuration has changed. */
  readonly setCity: (read: ReadCity) => void;
  readonly times: Times;
  /** The token is of no use any more. */
  readonly leave: (failure: Failure) => void;
}

export const SessionContext = createContext<Session | null>(null);

/** The session of a section. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('a section stands outside of a session');
  return session;
}

/** Reads a city. */
export async function readCity(client: Client, call: CallOptions, code: string): Promise<Result<ReadCity>> {
  const read = await client.getConfiguration({ municipality_code: code }, call);
  if (!read.ok) return read;
  const { configuration, version } = read.answer;
  const [city] = configuration.municipalities;
  return city === undefined
    ? failed('unavailable', 'NOT_OUR_ANSWER', '')
    : { ...read, answer: { city, version } };
}

/** What has become of a call. */
export type Called<A> =
  | { readonly kind: 'none' | 'busy' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'answered'; readonly answer: A };

/** Refusals after which nothing works but another token. */
const ENDED: readonly string[] = ['TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_REVOKED', 'TENANT_DISABLED'];

/**
 * The state of a call, and the function that makes it: it answers null for a failure, which the state then has. What comes to
 * an older call than the newest is dropped.
 */
export function useCall<A>() {
  const { leave } = useSession();
  const [called, setCalled] = useState<Called<A>>({ kind: 'none' });
  const turn = useRef(0);
  const begin = (kind: 'none' | 'busy'): number => {
    turn.current = (turn.current ?? 0) + 1;
    setCalled({ kind });
    return turn.current;
  };
  const make = async (call: () => Promise<Result<A>>): Promise<A | null> => {
    const own = begin('busy');
    const result = await call();
    if (own !== turn.current) return null;
    setCalled(result.ok ? { kind: 'answered', answer: result.answer } : { kind: 'failed', failure: result });
    if (!result.ok && ENDED.includes(result.code)) leave(result);
    return result.ok ? result.answer : null;
  };
  return { called, make, forget: () => begin('none') };
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

/** Everything that the tenant holds on a plate. */
export type Held = Pick<
  Answer<'exportPlate'>,
  'sessions' | 'subscriptions' | 'payments' | 'history' | 'calls'
>;
export const HELD_KINDS = ['sessions', 'subscriptions', 'payments', 'history', 'calls'] as const;

/** The sessions that still run, or begin later. */
export function runningOf({ sessions }: Held): Held['sessions'] {
  const isOver = (at: string | null): boolean => at !== null && Date.parse(at) <= Date.now();
  return sessions.filter((one) => !isOver(one.ends_at) && !isOver(one.cancelled_at));
}

/** Gathers it, page after page. */
export async function gatherPlate({ client, call }: Session, plate: string): Promise<Result<Held>> {
  const held: Held = { sessions: [], subscriptions: [], payments: [], history: [], calls: [] };
  let after: string | null = null;
  for (;;) {
    const page: Result<Answer<'exportPlate'>> = await client.exportPlate({ plate, after }, call);
    if (!page.ok) return page;
    held.sessions.push(...page.answer.sessions);
    held.subscriptions.push(...page.answer.subscriptions);
    held.payments.push(...page.answer.payments);
    held.history.push(...page.answer.history);
    held.calls.push(...page.answer.calls);
    after = page.answer.next;
    if (after === null) return { ...page, answer: held };
  }
}
