/** The settings of a client. */
export interface ClientSettings {
  /** Where the service is, such as `https://parking.example`. A path before the service's own is kept. */
  readonly baseUrl: string;
  /**
   * The credential's access token. Any visitor of a page can read it: in a page, use one with the scope
   * `report` alone.
   */
  readonly token?: string;
  /**
   * The administrator's token. Without it, `token` is used for operations of an office. Never use it in a
   * page.
   */
  readonly administratorToken?: string;
  /** The language of texts for people; English by default. Codes are the same in both. */
  readonly language?: 'en' | 'it';
  /** Milliseconds for a call, retries included, unless the call sets its own. */
  readonly budgetMs?: number;
  /** Replaces the runtime's own, for a log or for figures. It has to support `redirect: 'manual'` and `signal`. */
  readonly fetch?: typeof fetch;
}

/** The settings of a single call. */
export interface CallOptions {
  /** Milliseconds for this call, further tries included. */
  readonly budgetMs?: number;
  /**
   * The officer's pseudonym, if the operation takes it: 1 to 64 visible ASCII characters. Empty counts as
   * absent.
   */
  readonly officerReference?: string;
  /** Ends the call: its result is then `unavailable`, with the code `ABORTED`. */
  readonly signal?: AbortSignal;
}

const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Where the service is, without a slash at the end.
 *
 * @throws TypeError for anything but an address that tokens may be sent to
 */
export function addressOf({ baseUrl }: ClientSettings): string {
  if (!URL.canParse(baseUrl)) throw new TypeError(`baseUrl is not an address: ${baseUrl}`);
  const { protocol, hostname, origin, pathname, username, password } = new URL(baseUrl);
  const isSafe = protocol === 'https:' || THIS_MACHINE.includes(hostname);
  if (!/^https?:$/.test(protocol) || !isSafe) {
    throw new TypeError(`baseUrl has to start with https://, not with ${protocol}: tokens are sent to it`);
  }
  if (username !== '' || password !== '') throw new TypeError('baseUrl must not hold a password');
  return origin + pathname.replace(/\/+$/, '');
}

/**
 * A token for a header, without the blanks around it in a file or a variable.
 *
 * @throws TypeError for a text that cannot be a token, without repeating it
 */
export function tokenOf(token: string | undefined, name: string): string | null {
  if (token === undefined) return null;
  const trimmed = token.trim();
  if (trimmed === '') throw new TypeError(`${name} is empty: is the variable that holds it set?`);
  if (!/^[\x21-\x7e]+$/.test(trimmed)) throw new TypeError(`${name} is not a token`);
  return trimmed;
}
