import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import { type RecognisedToken, recogniseToken, type TokenKind } from './token.ts';

/** For how long after a refusal nothing is read for the same caller before it is admitted. */
const REFUSAL_REMEMBERED_MS = 10 * SECOND_MS;
/** Tokens and refusals that are remembered. An isolate serves few credentials at a time. */
const MAX_REMEMBERED = 1_000;

/** What an isolate remembers about the credentials that it has served. */
export class IsolateMemory {
  readonly #tokens = new Map<string, RecognisedToken>();
  readonly #refusedAt = new Map<string, Instant>();

  /**
   * {@link recogniseToken}, but only once for each valid token, since they are sent again and again. Made-up tokens are not
   * remembered, as they could fill the memory.
   */
  async recognise(token: string, kind: TokenKind, keys: string | undefined): Promise<RecognisedToken | null> {
    const key = `${keys} ${kind} ${token}`;
    const remembered = this.#tokens.get(key);
    if (remembered !== undefined) {
      return remembered;
    }
    const recognised = await recogniseToken(token, kind, keys);
    if (recognised !== null) {
      remember(this.#tokens, key, recognised);
    }
    return recognised;
  }

  /**
   * Whether this caller was refused a moment ago.
   *
   * @param key its token's hash, the operation's scope, and its address
   */
  wasRefused(key: string, now: Instant): boolean {
    const at = this.#refusedAt.get(key);
    return at !== undefined && now - at < REFUSAL_REMEMBERED_MS;
  }

  rememberRefusal(key: string, now: Instant): void {
    remember(this.#refusedAt, key, now);
  }

  forgetRefusal(key: string): void {
    this.#refusedAt.delete(key);
  }
}

/** Keeps the newest entries. Forgetting the oldest costs time and is never wrong. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) {
    map.delete(oldest);
  }
}
