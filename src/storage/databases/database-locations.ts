import { errorMessage } from '../../base/platform/error-message.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import { Memo } from '../../domain/memo.ts';
import type { Env } from '../../env.ts';
import { HOME, hasSeveral, isBound } from './bindings.ts';
import { readDirectory } from './directory-store.ts';

/** Codes and credentials that are remembered, some tens of bytes each. A country has 8,000 municipalities. */
const MAX_REMEMBERED = 20_000;

/**
 * Where municipalities are, as far as this isolate knows. It is only a hint: the municipality's own row decides, and a hint
 * that proves wrong is replaced.
 */
export class DatabaseLocations {
  /** The name of a municipality's database, by the municipality's code. */
  readonly #databases = new Memo<string, string>(MAX_REMEMBERED);
  /** The only municipality of a credential, by the credential's id, if it is outside the home. */
  readonly #ofCredentials = new Memo<string, string | null>(MAX_REMEMBERED);
  #hasDirectory = false;

  /**
   * The name of the database to ask for a municipality. The home, where that is unknown or its database is not bound.
   */
  async hint(env: Env, code: string): Promise<string> {
    if (!hasSeveral(env)) {
      return HOME;
    }
    if (this.#databases.get(code) === undefined && !this.#hasDirectory) {
      await this.#readDirectory(env);
    }
    const known = this.#databases.get(code);
    return known !== undefined && isBound(env, known) ? known : HOME;
  }

  /** @param database the name of its database */
  remember(code: string, database: string): void {
    this.#databases.set(code, database);
  }

  /** A database proved to have no row of the municipality: from now on the home is asked, whose row points to the right one. */
  disprove(code: string, database: string): void {
    if (this.#databases.get(code) === database) {
      this.remember(code, HOME);
    }
  }

  /** The code of a credential's municipality, if it has only one. */
  ofCredential(credentialId: string): string | null {
    return this.#ofCredentials.get(credentialId) ?? null;
  }

  /** @param code null: no longer known */
  rememberCredential(credentialId: string, code: string | null): void {
    this.#ofCredentials.set(credentialId, code);
  }

  async #readDirectory({ SNAPSHOTS }: Env): Promise<void> {
    try {
      for (const { code, database } of await readDirectory(SNAPSHOTS)) {
        if (this.#databases.get(code) === undefined) {
          this.remember(code, database);
        }
      }
      this.#hasDirectory = true;
    } catch (error) {
      logEvent('warn', 'directory_unreadable', { message: errorMessage(error) });
    }
  }
}
