import type { CredentialRecord } from './credential-record.ts';
import { type StoredCredential, unnamed } from './stored-credential.ts';

/** The keys of the object's storage. */
const RECORD_KEY = 'credential';
const ABOUT_KEY = 'about';
const CHANGES_KEY = 'changes';
const BEHIND_KEY = 'row_behind';

/** What is asked again has been sent a moment ago: a few changes later nobody asks for it any more. */
const CHANGES_REMEMBERED = 8;

type About = Omit<StoredCredential, 'record'>;

/** What a credential's object keeps of its credential, the budgets apart. Every method is synchronous. */
export class HeldCredential {
  readonly #kv: SyncKvStorage;
  #record: CredentialRecord | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#kv = storage.kv;
  }

  get record(): CredentialRecord | undefined {
    this.#record ??= this.#kv.get<CredentialRecord>(RECORD_KEY);
    return this.#record;
  }

  get stored(): StoredCredential | undefined {
    const { record } = this;
    const about = this.#kv.get<About>(ABOUT_KEY);
    return record && (about ? { record, ...about } : unnamed(record));
  }

  putRecord(record: CredentialRecord): void {
    // Stored before it is remembered: what could not be stored must not hold.
    this.#kv.put(RECORD_KEY, record);
    this.#record = record;
  }

  put({ record, ...about }: StoredCredential): void {
    this.#kv.put(ABOUT_KEY, about satisfies About);
    this.putRecord(record);
  }

  hasTaken(changeId: string): boolean {
    return this.#changes.includes(changeId);
  }

  noteChange(changeId: string): void {
    this.#kv.put(CHANGES_KEY, [changeId, ...this.#changes].slice(0, CHANGES_REMEMBERED));
  }

  get #changes(): readonly string[] {
    return this.#kv.get<string[]>(CHANGES_KEY) ?? [];
  }

  /** How often writing the row has failed since it is behind. Null: the row is not known to be behind. */
  get rowBehind(): number | null {
    return this.#kv.get<number>(BEHIND_KEY) ?? null;
  }

  noteRowBehind(failures: number): void {
    this.#kv.put(BEHIND_KEY, failures);
  }

  noteRowWritten(): void {
    this.#kv.delete(BEHIND_KEY);
  }
}
