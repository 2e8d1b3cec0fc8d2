import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { run } from '../../clients/parking/main.ts';
import type { Streams } from '../../clients/parking/terminal.ts';
import { bundleParking } from '../../tools/clients/parking.ts';
import { migrate } from '../../tools/local/migrations.ts';
import { ADMIN_TOKEN, launch, type Runtime } from '../bench/runtime.ts';

export { ADMIN_TOKEN };

/** What a command did. */
export interface Done {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface How {
  readonly environment?: Readonly<Record<string, string>>;
  /** For standard input. */
  readonly input?: string;
  /** Prints to a terminal of so many columns, in this process; nobody sits at it. */
  readonly columns?: number;
  /** Called once it runs. */
  readonly started?: (keys: Keys) => void;
  /** Called with what was printed so far, to standard output and standard error together. */
  readonly watch?: (printed: string, keys: Keys) => void;
}

/** What somebody does while a command runs. */
export interface Keys {
  readonly type: (text: string) => void;
  readonly signal: (name: NodeJS.Signals) => void;
}

export const CTRL_C = '\x03';

/** A clerk's desk: the command, and a folder of its own for profiles and files. */
export class Desk {
  readonly folder = mkdtempSync(join(tmpdir(), 'parking-desk-'));

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, content: string | Uint8Array): string {
    writeFileSync(this.path(name), content);
    return this.path(name);
  }

  /** Runs the command without a terminal: in this process, or in its own where somebody presses keys or kills it. */
  run(args: readonly string[], how: How = {}): Promise<Done> {
    const environment = this.#environment(how);
    return how.started === undefined && how.watch === undefined
      ? runsHere(args, environment, how)
      : runs(process.execPath, [installedCommand(), ...args], environment, how);
  }

  /** Runs the command in a terminal of 100 columns and 40 rows. What it prints comes out together. */
  inTerminal(args: readonly string[], how: How = {}): Promise<Done> {
    const words = [process.execPath, installedCommand(), ...args].map(
      (word) => `'${word.replaceAll("'", `'\\''`)}'`,
    );
    return this.shellInTerminal(`exec ${words.join(' ')}`, how);
  }

  /** Runs a script of the shell in such a terminal. */
  shellInTerminal(script: string, how: How = {}): Promise<Done> {
    const line = `stty cols 100 rows 40; ${script}`;
    // The two `script` of this world: of util-linux, and of the BSDs and macOS.
    const own =
      process.platform === 'linux' ? ['-qec', line, '/dev/null'] : ['-q', '/dev/null', 'sh', '-c', line];
    return runs('script', own, { ...this.#environment(how), TERM: 'xterm-256color' }, how);
  }

  /** Runs a script of the shell in the desk's folder, where `parking` is the command. What it prints comes out together. */
  shell(script: string, how: How = {}): Promise<Done> {
    const parking = `parking() { '${process.execPath}' '${installedCommand()}' "$@"; }`;
    return runs(
      'sh',
      ['-c', `cd '${this.folder}'; ${parking}; exec 2>&1; ${script}`],
      this.#environment(how),
      how,
    );
  }

  leave(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #environment({ environment = {} }: How): Record<string, string> {
    return {
      PATH: process.env.PATH ?? '',
      HOME: this.folder,
      XDG_CONFIG_HOME: join(this.folder, 'config'),
      LANG: 'en_GB.UTF-8',
      ...environment,
    };
  }
}

let installed: string | undefined;

/** The command as it is installed: bundled once, when a file of a process first asks for it. */
function installedCommand(): string {
  installed ??= bundledInto(mkdtempSync(join(tmpdir(), 'parking-installed-')));
  return installed;
}

function bundledInto(folder: string): string {
  bundleParking(folder);
  cpSync(new URL('../../clients/parking/bin', import.meta.url), join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return join(folder, 'bin/parking.js');
}

async function runsHere(
  args: readonly string[],
  environment: object,
  { input = '', columns }: How,
): Promise<Done> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  // Otherwise they are like streams that are no terminal: nothing is coloured. Nobody is asked in either case.
  if (columns !== undefined)
    for (const stream of [stdout, stderr]) Object.assign(stream, { isTTY: true, columns });
  const printed = Promise.all([textOf(stdout), textOf(stderr)]);
  const streams = { stdin: Readable.from([Buffer.from(input)]), stdout, stderr, environment };
  const code = await run(args, streams as unknown as Streams, new AbortController().signal);
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, out, err };
}

function runs(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
  how: How,
): Promise<Done> {
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let [out, err, both] = ['', '', ''];
  const keys: Keys = {
    type: (text) => void child.stdin.write(text),
    signal: (name) => void child.kill(name),
  };
  const heard = (text: string): void => {
    both += text;
    how.watch?.(both, keys);
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    heard(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    heard(text);
  });
  child.stdin.on('error', () => {});
  how.started?.(keys);
  if (how.input !== undefined) child.stdin.end(how.input);
  else if (how.watch === undefined) child.stdin.end();
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

/** The service, as it would be deployed, with nothing in it. */
export interface RunningService {
  readonly address: string;
  stop(): Promise<void>;
  cron(): Promise<void>;
  readonly db: Runtime['db'];
  /** Calls it as its administrator. */
  administrate(method: string, path: string, body: object): Promise<Record<string, unknown>>;
}

export async function startService(): Promise<RunningService> {
  const launched = await launch(['service']);
  const db = await launched.miniflare.getD1Database('DB', 'service');
  await migrate(db);
  const address = await launched.address('service');
  return {
    address,
    db,
    stop: launched.stop,
    cron: async () => {
      const worker = await launched.miniflare.getWorker('service');
      await worker.scheduled({ cron: '* * * * *' });
    },
    administrate: async (method, path, body) => {
      const response = await fetch(`${address}/api/v2/admin/${path}`, {
        method,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const answer: Record<string, unknown> = JSON.parse(await response.text());
      if (!response.ok) throw new Error(JSON.stringify(answer));
      return answer;
    },
  };
}

/** A city with a street, a car park, a source and a subscription type. */
export const CITY = {
  tenants: [{ code: 'acme', name: 'Acme Parking' }],
  municipalities: [
    {
      ...{ code: 'H501', name: 'Roma', timezone: 'Europe/Rome', tenant: 'acme' },
      areas: [
        { code: 'S1', name: 'Via Roma', area_type: 'street', capacity: 40 },
        {
          code: 'P1',
          name: 'Centro',
          area_type: 'facility',
          capacity: 300,
          facility: { entry_grace_minutes: 10 },
        },
      ],
      sources: [{ code: 'app1', name: 'App One', category: 'app' }],
      subscription_types: [{ code: 'RES', name: 'Residents' }],
      plans: [
        {
          ...{ codice_tariffa: '101', subscription_type: 'RES', importo_eurocent: 2500, duration: 'P1M' },
          descrizione: 'RESIDENTI MENSILE',
        },
      ],
    },
  ],
};

/** Puts the city, and issues a credential for everything in it. */
export async function openCity(service: RunningService): Promise<string> {
  await service.administrate('PUT', 'configuration', CITY);
  const issued = await service.administrate('POST', 'credentials', {
    ...{ tenant: 'acme', name: 'Office', municipalities: ['H501'] },
    scopes: ['plate_check', 'subscription_options', 'report', 'import', 'evidence', 'patrol'],
    rate_limit: { limit: 10_000, window_seconds: 60 },
  });
  return String(issued.access_token);
}
