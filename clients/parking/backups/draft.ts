import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { wrongUsage } from '../stop.ts';
import {
  checkFile,
  compressed,
  DamagedBackup,
  follow,
  NOTHING,
  readParts,
  type Standing,
} from './backup-file.ts';
import { cannotWrite } from './texts.ts';

const OWNER_ONLY = 0o600;

/** A backup that is being written. It gets the name of its file once it is complete. */
export class Draft {
  readonly #file: string;
  readonly #draft: string;
  readonly #handle: number;
  #standing: Standing;

  private constructor(file: string, draft: string, handle: number, standing: Standing) {
    this.#file = file;
    this.#draft = draft;
    this.#handle = handle;
    this.#standing = standing;
  }

  /**
   * Opens the draft for a file. An interrupted draft continues after its last whole part.
   *
   * @throws Stop if the file exists already, or cannot be made: the service is not asked then
   */
  static open(file: string): Draft {
    if (existsSync(file)) {
      throw wrongUsage({
        en: `${file} is there already, and is not overwritten.`,
        it: `${file} esiste già e non viene sovrascritto.`,
      });
    }
    const name = `${file}.unfinished`;
    try {
      const handle = openSync(name, existsSync(name) ? 'r+' : 'wx+', OWNER_ONLY);
      fchmodSync(handle, OWNER_ONLY);
      const standing = wholeParts(handle);
      ftruncateSync(handle, standing.bytes);
      return new Draft(file, name, handle, standing);
    } catch {
      throw wrongUsage({
        en: `${name} cannot be written.`,
        it: `${name} non è scrivibile.`,
      });
    }
  }

  get standing(): Standing {
    return this.#standing;
  }

  get name(): string {
    return this.#draft;
  }

  /**
   * Appends the next part.
   *
   * @throws Stop if the disk does not take it
   * @throws DamagedBackup where it is not the next one
   */
  async add(part: Parameters<typeof follow>[1]['part']): Promise<void> {
    const from = this.#standing.bytes;
    const bytes = await compressed(part.text);
    const standing = follow(this.#standing, { part, endsAt: from + bytes.length });
    try {
      for (let at = 0; at < bytes.length; )
        at += writeSync(this.#handle, bytes, at, bytes.length - at, from + at);
      fsyncSync(this.#handle);
    } catch (error) {
      throw cannotWrite(this.#draft, error);
    }
    this.#standing = standing;
  }

  /** Empties the draft: the backup has to begin again. */
  empty(): void {
    ftruncateSync(this.#handle, 0);
    this.#standing = NOTHING;
  }

  /**
   * Renames the file, once it could be read again as a whole.
   *
   * @throws DamagedBackup where it cannot
   */
  finish(): void {
    try {
      checkFile(this.#handle);
    } catch (error) {
      this.empty();
      throw error;
    }
    closeSync(this.#handle);
    renameSync(this.#draft, this.#file);
  }

  /** Keeps the parts for the next try; removes an empty draft. */
  leave(): void {
    closeSync(this.#handle);
    if (this.#standing.last === null) rmSync(this.#draft, { force: true });
  }
}

/** The whole parts at the beginning of a file. */
function wholeParts(handle: number): Standing {
  let standing = NOTHING;
  try {
    for (const read of readParts(handle)) standing = read.standing;
  } catch (error) {
    if (!(error instanceof DamagedBackup)) throw error;
  }
  return standing;
}
