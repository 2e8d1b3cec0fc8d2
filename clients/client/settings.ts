import type { Hooks } from './hooks.ts';

/** What a client is made with. */
export interface ClientSettings extends Hooks {
  /** Where the service is, such as `https://parking.example`. A path before the service's own is kept. */
  readonly baseUrl: string;
  /** The credential's access token. In a page everybody can read it: there, one with the scope `report` alone. */
  readonly token?: string;
  /** The administrator's token. What an office may do, `token` does too where this is not set. Never in a page. */
  readonly administratorToken?: string;
  /** The language of texts for people; English by default. Codes are the same in both. */
  readonly language?: 'en' | 'it';
  /** Milliseconds for a call, further tries included, where the call itself does not say. */
  readonly budgetMs?: number;
  /** Lets tokens go over plain HTTP to another machine: they can be read on the way. To this machine they always may. */
  readonly allowInsecureHttp?: boolean;
  /** Used in place of the runtime's own. It has to know `redirect: 'manual'` and `signal`. */
  readonly fetch?: typeof fetch;
}

/** What a single call may be given. */
export interface CallOptions {
  /** Milliseconds for this call, further tries included. */
  readonly budgetMs?: number;
  /** Who looks, where the operation takes it: a pseudonym of 1 to 64 visible ASCII characters. Empty is as if absent. */
  readonly officerReference?: string;
  /** Ends the call: its result is then `unavailable`, with the code `ABORTED`. */
  readonly signal?: AbortSignal;
}

const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Where the service is, without a slash at the end.
 *
 * @throws TypeError for what is not an address, or one that tokens must not be sent to
 */
export function addressOf({ baseUrl, allowInsecureHttp = false }: ClientSettings): string {
  if (!URL.canParse(baseUrl)) throw new TypeError(`baseUrl is not an address: ${baseUrl}`);
  const { protocol, hostname, origin, pathname, username, password } = new URL(baseUrl);
  const isSafe = protocol === 'https:' || THIS_MACHINE.includes(hostname) || allowInsecureHttp;
  if (!/^https?:$/.test(protocol) || !isSafe) {
    throw new TypeError(`baseUrl has to start with https: tokens are sent to it. It is ${origin}`);
  }
  if (username !== '' || password !== '') throw new TypeError('baseUrl must not hold a password');
  return origin + pathname.replace(/\/+$/, '');
}

/**
 * A token as it goes into a header. What surrounds it in a file or a variable is dropped.
 *
 * @throws TypeError for what cannot be a token, without repeating it
 */
export function tokenOf(token: string | undefined, name: string): string | null {
  if (token === undefined) return null;
  const trimmed = token.trim();
  if (!/^[\x21-\x7e]+$/.test(trimmed)) throw new TypeError(`${name} is not a token`);
  return trimmed;
}
