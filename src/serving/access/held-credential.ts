import type { CredentialRecord } from './credential-record.ts';
import { type StoredCredential, withoutDetails } from './stored-credential.ts';

/** The keys of the object's storage. */
const RECORD_KEY = 'credential';
const ABOUT_KEY = 'about';
const CHANGES_KEY = 'changes';
const BEHIND_KEY = 'row_behind';

/** A change is sent again within moments, so a few ids are enough. */
const CHANGES_REMEMBERED = 8;

type About = Omit<StoredCredential, 'record'>;

/** The stored state of a credential's object, apart from the budgets. Every method is synchronous. */
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
    return record && (about ? { record, ...about } : withoutDetails(record));
  }

  putRecord(record: CredentialRecord): void {
    // Stored first: a change that could not be stored must not take effect.
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

  /** How often writing the row has failed since it fell behind. Null: the row seems up to date. */
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
