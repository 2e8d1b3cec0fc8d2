import { Memo } from '../domain/memo.ts';
import type { Env } from '../env.ts';
import { errorMessage } from '../platform/error-message.ts';
import { logEvent } from '../platform/log-event.ts';
import { HOME, hasSeveral, isBound } from './bindings.ts';
import { readDirectory } from './directory-store.ts';

/** Codes and credentials that are remembered, some tens of bytes each. A country has 8,000 municipalities. */
const MAX_REMEMBERED = 20_000;

/**
 * Where municipalities are, as far as this isolate knows. All of it is a hint where to ask: the municipality's own row
 * decides, and what turns out to be wrong is remembered anew.
 */
export class Whereabouts {
  /** The name of a municipality's database, by the municipality's code. */
  readonly #databases = new Memo<string, string>(MAX_REMEMBERED);
  /** The only municipality of a credential, by the credential's id: of those outside the home. */
  readonly #ofCredentials = new Memo<string, string | null>(MAX_REMEMBERED);
  #hasDirectory = false;

  /**
   * The name of the database to ask for a municipality. Where nobody knows, or what is known names a database that is not
   * bound, that is the home.
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

  /** A database turned out to have no row of the municipality: from now on the home is asked, which knows better. */
  disprove(code: string, database: string): void {
    if (this.#databases.get(code) === database) {
      this.remember(code, HOME);
    }
  }

  /** The code of the municipality that a credential's calls have been for, where it has one alone. */
  ofCredential(credentialId: string): string | null {
    return this.#ofCredentials.get(credentialId) ?? null;
  }

  /** @param code null: it is not known any more */
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
