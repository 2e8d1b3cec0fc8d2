import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** In Linux's tables of sockets. */
const LISTENING = '0A';

/** Which process listens on a port, if the system shows it: `workerd (process 4711, in /home/me/parking)`. */
export function holderOf(port: number): string | null {
  try {
    return process.platform === 'linux' ? holderOnLinux(port) : holderByLsof(port);
  } catch {
    return null;
  }
}

function holderOnLinux(port: number): string | null {
  const sockets = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => socketsOn(port, table));
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && holds(name, sockets));
  if (pid === undefined) return null;
  const name = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  return `${name} (process ${pid}, in ${readlinkSync(`/proc/${pid}/cwd`)})`;
}

/** As their files are called: `socket:[12345]`. */
function socketsOn(port: number, table: string): string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync(table, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => local.endsWith(wanted) && state === LISTENING)
    .map((columns) => `socket:[${columns[9]}]`);
}

/** Another user's process, or one that has just ended, is invisible. */
function holds(pid: string, sockets: readonly string[]): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((file) => sockets.includes(readlinkSync(`${folder}/${file}`)));
  } catch {
    return false;
  }
}

function holderByLsof(port: number): string | null {
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'];
  const printed = execFileSync('lsof', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [, pid, name] = /^p(\d+)\n(?:.*\n)*?c(.+)$/m.exec(printed) ?? [];
  return pid === undefined ? null : `${name} (process ${pid})`;
}
