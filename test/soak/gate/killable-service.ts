import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A real service that can be killed at any moment, and started again over what it has stored. */
export class KillableService {
  readonly #folder = mkdtempSync(join(tmpdir(), 'fire-'));
  #child: ChildProcess | null = null;
  #address: string | null = null;

  /** Where it listens; null while it is down. */
  get address(): string | null {
    return this.#address;
  }

  /** Starts it, the first time with an empty database. */
  async start(isNew = false): Promise<void> {
    const script = join(import.meta.dirname, 'service-process.ts');
    // A group of its own: the runtime is a child of the child.
    const child = spawn(process.execPath, [script, this.#folder, ...(isNew ? ['new'] : [])], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    let said = '';
    for await (const chunk of child.stdout) {
      said += String(chunk);
      const [, address] = /listening on (\S+)/.exec(said) ?? [];
      if (address === undefined) continue;
      this.#address = address;
      return;
    }
    throw new Error(`the service did not start: ${said}`);
  }

  /** Kills it, and all of its own, at once. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    this.#child = null;
    this.#address = null;
    const ended = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
