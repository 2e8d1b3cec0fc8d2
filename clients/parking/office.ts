import { type Client, createClient, type Result } from '../client/index.ts';
import { given } from './command.ts';
import { stopOf } from './failure.ts';
import { chooseConnection, type Profile, profilesPath, readProfiles } from './profiles.ts';
import { wrongUsage } from './stop.ts';
import { type Streams, Terminal } from './terminal.ts';

/** The options that every command has. */
interface GlobalOptions {
  readonly json?: true | undefined;
  readonly profile?: string | undefined;
}

/** The context of every command: the terminal, the service, and the user's Ctrl-C. */
export class Office {
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #notes: string[] = [];
  #options: GlobalOptions = {};
  #connection: Profile | undefined;
  #client: Client | undefined;

  constructor(streams: Streams, signal: AbortSignal) {
    this.terminal = new Terminal(streams);
    this.#environment = streams.environment;
    this.signal = signal;
  }

  /** Takes the options before and after the command's name. */
  begin(options: GlobalOptions): void {
    this.#options = options;
  }

  get json(): boolean {
    return this.#options.json ?? false;
  }

  get profileName(): string | undefined {
    return this.#options.profile;
  }

  get profilesPath(): string {
    return profilesPath(this.#environment);
  }

  /** Prints an answer: as JSON, or as a record. */
  show(answer: object): void {
    if (this.json) this.terminal.json(answer);
    else this.terminal.record(answer);
  }

  /** Prints a list: as JSON, or as a table. */
  showList(rows: readonly object[], columns?: readonly string[]): void {
    if (this.json) this.terminal.json(rows);
    else this.terminal.table(rows, columns);
  }

  /** Prints a note on standard error. With JSON output the note waits: a failure includes it in its own JSON. */
  note(text: string): void {
    if (this.json) this.#notes.push(text);
    else this.terminal.note(text);
  }

  /** The notes that were not printed. It returns them once. */
  takeNotes(): readonly string[] {
    return this.#notes.splice(0);
  }

  /** @throws Stop without a service */
  get connection(): Profile {
    this.#connection ??= chooseConnection(
      this.#environment,
      readProfiles(this.profilesPath),
      this.#options.profile,
    );
    return this.#connection;
  }

  /** The service. The same client for all calls of a command. */
  get client(): Client {
    this.#client ??= clientOf(this.connection);
    return this.#client;
  }

  /**
   * Options of calls that only read: Ctrl-C aborts them. A call that changes something goes without: the command waits for
   * its answer, so that the user knows whether it was done.
   */
  get call(): { readonly signal: AbortSignal } {
    return { signal: this.signal };
  }

  /** The time limit of a part of a long transfer, retries included. Scripts that want failures sooner set a shorter one. */
  get partTime(): { readonly budgetMs?: number } {
    const seconds = Number(this.#environment.PARKING_PART_SECONDS);
    return seconds > 0 ? { budgetMs: seconds * 1_000 } : {};
  }

  /** The command's municipality, else the profile's. */
  municipality(given: string | undefined): { municipality_code?: string } {
    const code = given ?? this.connection.municipality;
    return code === undefined ? {} : { municipality_code: code };
  }

  /** @throws Stop if neither the command nor the profile names one */
  requireMunicipality(given: string | undefined): string {
    const { municipality_code: code } = this.municipality(given);
    if (code === undefined) throw wrongUsage('Choose the municipality: --municipality CODE.');
    return code;
  }

  /**
   * The answer of a call.
   *
   * @throws Stop when there is none
   */
  async answer<T>(result: Promise<Result<T>>): Promise<T> {
    const settled = await result;
    if (!settled.ok) throw stopOf(settled);
    return settled.answer;
  }

  /**
   * All pages of an answer, one after the other.
   *
   * @param ask gets the cursor of the page before
   * @throws Stop when there is none
   */
  async *pages<Page>(
    ask: (cursor: { readonly after?: string }) => Promise<Result<Page>>,
    nextOf: (page: Page) => string | null,
  ): AsyncGenerator<Page, void, void> {
    for (let after: string | null | undefined; after !== null; ) {
      const page = await this.answer(ask(after === undefined ? {} : { after }));
      yield page;
      after = nextOf(page);
    }
  }
}

/**
 * A client of a profile.
 *
 * @throws Stop for an address or a secret that cannot be used
 */
export function clientOf({ url, access_token, admin_token }: Profile): Client {
  try {
    return createClient({
      baseUrl: url,
      ...given({ token: access_token, administratorToken: admin_token }),
      language: 'en',
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw wrongUsage(
      `The service’s address or secret cannot be used: ${error.message}`,
      'An address looks like https://parking.example: secrets travel over https alone (or to this machine).',
    );
  }
}
