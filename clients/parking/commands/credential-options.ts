import { type Command, InvalidArgumentError, listed, seconds } from '../command.ts';
import type { Office } from '../office.ts';
import { SCOPES, type Scope } from '../wire-names.ts';

/** The options of a credential, both when it is issued and later. */
export interface CredentialOptions {
  readonly name?: string | undefined;
  readonly scope?: string[] | undefined;
  readonly municipality?: string[] | undefined;
  readonly ip?: string[] | undefined;
  readonly anyIp?: true | undefined;
  readonly expiresAt?: string | undefined;
  readonly rateLimit?: { limit: number; window_seconds: number } | undefined;
  readonly historicalDays?: number | 'unlimited' | undefined;
  readonly source?: string | undefined;
  readonly area?: string[] | undefined;
  readonly allAreas?: true | undefined;
}

export function withCredentialOptions(office: Office, command: Command) {
  const say = office.say.bind(office);
  return command
    .option('--name <name>', say({ en: 'what people call it', it: 'come viene chiamata' }))
    .option(
      '--scope <scopes>',
      say({ en: `what it may do: ${SCOPES.join(', ')}`, it: `che cosa può fare: ${SCOPES.join(', ')}` }),
      listed,
    )
    .option(
      '-m, --municipality <codes>',
      say({ en: 'codes of its municipalities', it: 'codici dei suoi comuni' }),
      listed,
    )
    .option(
      '--ip <address>',
      say({
        en: 'addresses and CIDR blocks that may use it',
        it: 'indirizzi e blocchi CIDR che possono usarla',
      }),
      listed,
    )
    .option('--any-ip', say({ en: 'any address may use it', it: 'qualsiasi indirizzo può usarla' }))
    .option(
      '--expires-at <instant>',
      say({
        en: 'when it ends, with an offset; never: no end',
        it: 'quando scade, con differenza oraria; never: mai',
      }),
    )
    .option('--rate-limit <calls/time>', say({ en: 'such as 120/60s', it: 'come 120/60s' }), rateLimit)
    .option(
      '--historical-days <days>',
      say({
        en: 'how far back it may ask; unlimited: no bound',
        it: 'quanto indietro può chiedere; unlimited: senza limite',
      }),
      historicalDays,
    )
    .option(
      '--source <code>',
      say({
        en: 'the one source whose sessions it imports; none: not bound',
        it: 'l’unica sorgente di cui importa le soste; none: non vincolata',
      }),
    )
    .option(
      '--area <codes>',
      say({
        en: 'the only areas of its one municipality that it may ask about',
        it: 'le sole aree del suo unico comune di cui può chiedere',
      }),
      listed,
    )
    .option('--all-areas', say({ en: 'it may ask about all areas', it: 'può chiedere di tutte le aree' }));
}

/** The options in the words of the service. An option that was not given is absent; `none` is null. */
export function credentialFields(options: CredentialOptions) {
  const {
    name,
    scope,
    municipality,
    ip,
    anyIp,
    expiresAt,
    rateLimit: rate,
    historicalDays: days,
    source,
    area,
    allAreas,
  } = options;
  return {
    ...(name !== undefined && { name }),
    // The service judges the names: it may know a scope that this command does not.
    ...(scope !== undefined && { scopes: scope as Scope[] }),
    ...(municipality !== undefined && { municipalities: municipality }),
    ...(ip !== undefined && { ip_allowlist: ip }),
    ...(anyIp && { ip_allowlist: null }),
    ...(expiresAt !== undefined && { expires_at: expiresAt === 'never' ? null : expiresAt }),
    ...(rate !== undefined && { rate_limit: rate }),
    ...(days !== undefined && { historical_days_allowed: days === 'unlimited' ? null : days }),
    ...(source !== undefined && { source_code: source === 'none' ? null : source }),
    ...(area !== undefined && { areas: area }),
    ...(allAreas && { areas: null }),
  };
}

function rateLimit(value: string): { limit: number; window_seconds: number } {
  const [, calls, time] = /^(\d{1,5})\/(\w+)$/.exec(value) ?? [];
  if (calls === undefined || time === undefined) throw new InvalidArgumentError('120/60s');
  return { limit: Number(calls), window_seconds: seconds(time) };
}

function historicalDays(value: string): number | 'unlimited' {
  if (value === 'unlimited') return value;
  if (!/^\d{1,7}$/.test(value)) throw new InvalidArgumentError('30, unlimited');
  return Number(value);
}
