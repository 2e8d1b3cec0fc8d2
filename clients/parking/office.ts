import type { Language, Text } from '../../src/base/text/text.ts';
import { type Client, createClient, type Result } from '../client/index.ts';
import { stopOf } from './failure-advice.ts';
import { languageOf } from './language.ts';
import { type Connection, chooseConnection } from './profiles/connection.ts';
import { profilesPath, readProfiles } from './profiles/profile-file.ts';
import { wrongUsage } from './stop.ts';
import { type Streams, Terminal } from './terminal/terminal.ts';

/** The options that every command has. */
export interface GlobalOptions {
  readonly json?: true | undefined;
  readonly profile?: string | undefined;
}

/** The context of every command: the terminal, the user's language, the service, and the user's Ctrl-C. */
export class Office {
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
  readonly language: Language;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly #notes: string[] = [];
  #options: GlobalOptions = {};
  #connection: Connection | undefined;
  #client: Client | undefined;

  constructor(streams: Streams, signal: AbortSignal) {
    this.terminal = new Terminal(streams);
    this.environment = streams.environment;
    this.language = languageOf(streams.environment);
    this.signal = signal;
  }

  /** Takes the options before and after the command's name. */
  begin(options: GlobalOptions): void {
    this.#options = options;
  }

  say(text: Text): string {
    return text[this.language];
  }

  /**
   * Prints a note on standard error. With JSON output the note waits: a failure includes it in its own JSON.
   */
  note(text: Text): void {
    if (this.json) this.#notes.push(this.say(text));
    else this.terminal.sentence(this.say(text));
  }

  /** The notes that were not printed. It returns them once. */
  takeNotes(): readonly string[] {
    return this.#notes.splice(0);
  }

  get json(): boolean {
    return this.#options.json ?? false;
  }

  get profileName(): string | undefined {
    return this.#options.profile;
  }

  get profilesPath(): string {
    return profilesPath(this.environment);
  }

  /** @throws Stop without a service */
  get connection(): Connection {
    this.#connection ??= chooseConnection(
      this.environment,
      readProfiles(this.profilesPath),
      this.#options.profile,
    );
    return this.#connection;
  }

  /** The service. The same client for all calls of a command. */
  get client(): Client {
    this.#client ??= this.clientOf(this.connection);
    return this.#client;
  }

  /**
   * A client of a connection.
   *
   * @throws Stop for an address that secrets must not be sent to
   */
  clientOf({ url, accessToken, adminToken }: Connection, fetchWith?: typeof fetch): Client {
    try {
      return createClient({
        baseUrl: url,
        ...(accessToken !== undefined && { token: accessToken }),
        ...(adminToken !== undefined && { administratorToken: adminToken }),
        language: this.language,
        ...(fetchWith !== undefined && { fetch: fetchWith }),
      });
    } catch (error) {
      if (error instanceof TypeError) throw unsafe(error.message);
      throw error;
    }
  }

  /** Options of calls that only read: Ctrl-C aborts them. */
  get call(): { readonly signal: AbortSignal } {
    return { signal: this.signal };
  }

  /**
   * Options of calls that change something: once a call is sent, the command waits for its answer, so that
   * the user knows whether it was done. A second Ctrl-C does not wait.
   */
  readonly write = {};

  /** The command's municipality, else the profile's. */
  municipality(given: string | undefined): { municipality_code?: string } {
    const code = given ?? this.connection.municipality;
    return code === undefined ? {} : { municipality_code: code };
  }

  /**
   * The answer of a call.
   *
   * @throws Stop when there is none
   */
  async answer<T>(result: Promise<Result<T>>): Promise<T> {
    const settled = await result;
    if (!settled.ok) throw stopOf(settled, this.connection.accessToken !== undefined);
    return settled.answer;
  }
}

const unsafe = (why: string) =>
  wrongUsage(
    {
      en: `The service’s address or secret cannot be used: ${why}`,
      it: `L’indirizzo o il segreto del servizio non è utilizzabile: ${why}`,
    },
    {
      advice: {
        en: 'Secrets travel over https alone (or to this machine).',
        it: 'I segreti viaggiano solo su https (o verso questo computer).',
      },
    },
  );
