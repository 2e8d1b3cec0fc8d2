import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { print, printError } from '../print.ts';
import type { Options } from './options.ts';
import type { Secrets } from './secrets.ts';
import { spawnDev } from './wrangler.ts';

const READY_TRIES = 600;
const READY_EVERY_MS = 100;
const STOP_PATIENCE_MS = 5_000;

/** Wrangler's own account of each request: the service's log tells more. */
const WRANGLERS_CHATTER = /^\[wrangler:info\]/;

/** The service, running in a child process. It ends with this one. */
export class WorkerProcess {
  readonly address: string;
  /** Resolves when the process has ended, asked or not. */
  readonly ended: Promise<unknown>;
  readonly #child: ChildProcess;
  #unread: string[] | null = [];
  #isShown = false;

  private constructor(child: ChildProcess, port: number) {
    this.address = `http://localhost:${port}`;
    this.ended = once(child, 'exit');
    this.#child = child;
    this.#read(child.stdout, print);
    this.#read(child.stderr, printError);
    process.on('exit', () => this.#signal('SIGTERM'));
  }

  /** Starts the process. The service in it is not ready yet. */
  static spawn({ port, stateDir }: Options, secrets: Secrets): WorkerProcess {
    return new WorkerProcess(spawnDev(port, stateDir, secrets), port);
  }

  /**
   * Waits until the service answers: this one, not another process that took the port after the check.
   *
   * @throws Error with the process's output, when it has ended or hangs
   */
  async ready({ ADMIN_TOKEN }: Secrets): Promise<void> {
    for (let tries = 0; this.#isRunning() && tries < READY_TRIES; tries++) {
      if (await admits(this.address, ADMIN_TOKEN)) return;
      await wait(READY_EVERY_MS);
    }
    throw new Error(`The service did not start. It said:\n${this.unread.join('\n')}`);
  }

  /** Its output before its log went to the terminal. */
  get unread(): readonly string[] {
    return this.#unread ?? [];
  }

  /**
   * From now on the service's log goes to the terminal, or nowhere. Earlier output is dropped.
   */
  showLog(isShown: boolean): void {
    this.#unread = null;
    this.#isShown = isShown;
  }

  /** Ends the process and its children, by SIGKILL if they do not react. */
  async stop(): Promise<void> {
    this.#signal('SIGTERM');
    await Promise.race([this.ended, wait(STOP_PATIENCE_MS)]);
    this.#signal('SIGKILL');
  }

  /** Signals its group: Wrangler has children of its own, which may outlive it. */
  #signal(signal: NodeJS.Signals): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
    } catch {
      // All of it has ended.
    }
  }

  #read(stream: Readable | null, show: (line: string) => void): void {
    if (stream === null) return;
    createInterface({ input: stream }).on('line', (coloured) => {
      const line = stripVTControlCharacters(coloured);
      if (this.#unread !== null) this.#unread.push(line);
      else if (this.#isShown && !WRANGLERS_CHATTER.test(line)) show(line);
    });
  }

  #isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
}

/** @throws Error with a remedy, when the port is taken */
export async function assertPortIsFree(port: number): Promise<void> {
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
  } catch {
    throw new Error(`Port ${port} is taken. Choose another: npm start -- --port ${port + 1}`);
  }
  probe.close();
  await once(probe, 'close');
}

async function admits(address: string, adminToken: string): Promise<boolean> {
  const headers = { Authorization: `Bearer ${adminToken}` };
  try {
    return (await fetch(`${address}/api/v2/admin/status`, { headers })).ok;
  } catch {
    return false;
  }
}
