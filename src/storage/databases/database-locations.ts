import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { Memo } from '../../domain/memo.ts';
import type { Env } from '../../env.ts';
import { HOME, hasSeveral, isBound } from './bindings.ts';
import { readDirectory } from './directory-store.ts';

/** Each takes some tens of bytes. Italy has 8,000 municipalities. */
const MAX_REMEMBERED = 20_000;

/**
 * This isolate's memory of which municipality is in which database. It gives hints: the municipality's own row decides, and
 * replaces a wrong hint.
 */
export class DatabaseLocations {
  /** The name of a municipality's database, by the municipality's code. */
  readonly #databases = new Memo<string, string>(MAX_REMEMBERED);
  /** The municipality of a credential that has only one, outside the home, by the credential's id. */
  readonly #ofCredentials = new Memo<string, string | null>(MAX_REMEMBERED);
  #hasDirectory = false;

  /** The name of the database to ask for a municipality: the home if its database is unknown or not bound. */
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

  /** Forgets a database that has no row of the municipality. The home's row points to the right one. */
  disprove(code: string, database: string): void {
    if (this.#databases.get(code) === database) {
      this.remember(code, HOME);
    }
  }

  /** The code of a credential's municipality, if it has only one and that is outside the home. */
  ofCredential(credentialId: string): string | null {
    return this.#ofCredentials.get(credentialId) ?? null;
  }

  /** @param code null to forget it */
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
