// Imports a CSV file of a million lines by the command, and says its memory and its rate next to the service's own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleParking } from '../../tools/clients/parking.ts';
import { takeNoArguments } from '../../tools/command-line.ts';
import { foundCity } from '../bench/city.ts';
import { startRuntime } from '../bench/runtime.ts';

takeNoArguments(
  'npm run bench:import: imports lines of CSV by the command; IMPORT_LINES says how many (1000000)',
);

const LINES = Number(process.env.IMPORT_LINES ?? 1_000_000);
const MAX_MIB = 300;
const MIN_SHARE = 0.5;
const LOOKED_AT_EVERY_MS = 50;
/** What the service takes at once, with some room. */
const PART_BYTES = 7.5 * 1_024 * 1_024;
const START = Date.UTC(2026, 0, 5, 6);
const MINUTE_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'parking-import-'));
bundleParking(folder);
cpSync(new URL('../../clients/parking/bin', import.meta.url), join(folder, 'bin'), { recursive: true });
writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
const { runtime, token } = await foundCity(await startRuntime(), 0);
try {
  const own = await ownRate();
  const file = join(folder, 'soste.csv');
  await writeCsv(file);
  const { seconds, peakMiB, printed } = await runCommand(file);
  const rate = LINES / seconds;
  console.log(printed.trim());
  console.log(`${LINES} lines of CSV: ${Math.round(rate)} lines/s, ${Math.round(peakMiB)} MiB at most`);
  console.log(
    `the service alone, the same lines in NDJSON: ${Math.round(own)} lines/s; share ${(rate / own).toFixed(2)}`,
  );
  if (peakMiB >= MAX_MIB || rate < own * MIN_SHARE) process.exitCode = 1;
} finally {
  await runtime.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Lines a second of the service, sent as large as it takes them, with nothing to read or to translate. */
async function ownRate(): Promise<number> {
  let milliseconds = 0;
  for (let sent = 0; sent < LINES; ) {
    const lines: string[] = [];
    for (let bytes = 0; bytes < PART_BYTES && sent < LINES; sent += 1) {
      const line = JSON.stringify(lineOf('own', sent));
      lines.push(line);
      bytes += line.length + 1;
    }
    const body = lines.join('\n');
    const startedAt = performance.now();
    const response = await fetch(`${runtime.service}/api/v2/imports/sessions?source_code=app`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body,
    });
    const answer = await response.text();
    milliseconds += performance.now() - startedAt;
    if (!answer.includes(`"created":${lines.length},`)) throw new Error(answer.slice(0, 500));
  }
  return (LINES * 1_000) / milliseconds;
}

function lineOf(name: string, index: number) {
  const startsAt = START + (index % 5_000) * MINUTE_MS;
  return {
    session_id: `${name}-${index}`,
    plate: `M${index}`,
    area_code: `S${index % 20}`,
    starts_at: new Date(startsAt).toISOString(),
    ends_at: new Date(startsAt + 60 * MINUTE_MS).toISOString(),
  };
}

/** As an office exports it: other titles, semicolons, local times, a column that nobody asked for. */
async function writeCsv(file: string): Promise<void> {
  const stream = createWriteStream(file);
  stream.write('Codice;Targa;Zona;Inizio;Fine;Importo\r\n');
  for (let index = 0; index < LINES; index += 1) {
    const { session_id, plate, area_code, starts_at, ends_at } = lineOf('csv', index);
    const row = [session_id, plate, area_code, local(starts_at), local(ends_at), '"1,50"'];
    if (!stream.write(`${row.join(';')}\r\n`)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
}

/** The same instant every day of January in Rome: an hour later than in UTC. */
function local(at: string): string {
  const shown = new Date(Date.parse(at) + 60 * MINUTE_MS).toISOString();
  return `${shown.slice(8, 10)}/${shown.slice(5, 7)}/${shown.slice(0, 4)} ${shown.slice(11, 16)}`;
}

async function runCommand(file: string): Promise<{ seconds: number; peakMiB: number; printed: string }> {
  const map = 'session_id=Codice,plate=Targa,area_code=Zona,starts_at=Inizio,ends_at=Fine';
  const args = [join(folder, 'bin/parking.js'), 'import', 'sessions', file, '--source', 'app', '--map', map];
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    env: {
      PATH: process.env.PATH,
      XDG_CONFIG_HOME: folder,
      PARKING_URL: runtime.service,
      PARKING_TOKEN: token,
    },
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
  if (code !== 0) throw new Error(`the import ended with ${code}:\n${printed}`);
  return { seconds: (performance.now() - startedAt) / 1_000, peakMiB, printed };
}

/** The most that a process has ever held, by the system's own account. */
function highestMiB(pid: number | undefined): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
  } catch {
    return 0;
  }
}
