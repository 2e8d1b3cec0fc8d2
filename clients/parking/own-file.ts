import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { EXIT, Stop, wrongUsage } from './stop.ts';

export const OWNER_ONLY = 0o600;

/** A new file for its owner alone, opened before something is made that has to go into it. */
export class OwnFile {
  readonly #name: string;
  readonly #handle: number;

  /** @throws Stop if it is there already, or cannot be written */
  constructor(name: string) {
    this.#name = name;
    try {
      this.#handle = openSync(name, 'wx', OWNER_ONLY);
    } catch {
      throw wrongUsage(`${name} is there already, or cannot be written: nothing was done.`);
    }
  }

  abandon(): void {
    closeSync(this.#handle);
    rmSync(this.#name, { force: true });
  }

  /**
   * Writes a value as JSON.
   *
   * @throws Stop on a full disk
   */
  keep(value: object): void {
    try {
      writeFileSync(this.#handle, `${JSON.stringify(value, null, 2)}\n`, { flush: true });
      closeSync(this.#handle);
    } catch {
      throw new Stop(EXIT.refused, `${this.#name} cannot be written any more: is the disk full?`);
    }
  }
}
