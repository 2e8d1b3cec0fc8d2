import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleParking } from '../../tools/clients/parking.ts';
import { root } from './bundle.ts';

const LOOKED_AT_EVERY_MS = 50;

interface Done {
  readonly seconds: number;
  /** The most memory that its process has held. */
  readonly peakMiB: number;
  readonly printed: string;
}

/** The office's command in a folder of its own, which is deleted with this process. */
export class Command {
  readonly folder = mkdtempSync(join(tmpdir(), 'parking-command-'));

  constructor() {
    process.once('exit', () => rmSync(this.folder, { recursive: true, force: true }));
    bundleParking(this.folder);
    cpSync(`${root}clients/parking/bin`, join(this.folder, 'bin'), { recursive: true });
    writeFileSync(join(this.folder, 'package.json'), '{"type":"module"}');
  }

  async run(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Done> {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [join(this.folder, 'bin/parking.js'), ...args], {
      env: { PATH: process.env.PATH, XDG_CONFIG_HOME: this.folder, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let peakMiB = 0;
    const looking = setInterval(() => {
      peakMiB = Math.max(peakMiB, highestMiB(child.pid));
    }, LOOKED_AT_EVERY_MS);
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    const [code]: unknown[] = await once(child, 'exit');
    clearInterval(looking);
    if (code !== 0) throw new Error(`parking ${args.join(' ')} ended with ${code}:\n${printed}`);
    return { seconds: (performance.now() - startedAt) / 1_000, peakMiB, printed };
  }
}

/** The most that a process has ever held, by the system's own account. */
function highestMiB(pid: number | undefined): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
