// Imports a CSV file of a million lines by the command, and says its memory and its rate next to the service's own.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { takeNoArguments } from '../../tools/command-line.ts';
import { foundCity } from '../bench/city.ts';
import { Command } from '../bench/command.ts';
import { startRuntime } from '../bench/runtime.ts';

takeNoArguments(
  'npx node test/parking/measure-import.ts: imports lines of CSV by the command; IMPORT_LINES says how many (1000000)',
);

const LINES = Number(process.env.IMPORT_LINES ?? 1_000_000);
const MAX_MIB = 300;
const MIN_SHARE = 0.5;
/** What the service takes at once, with some room. */
const PART_BYTES = 7.5 * 1_024 * 1_024;
const START = Date.UTC(2026, 0, 5, 6);
const MINUTE_MS = 60_000;

const command = new Command();
const { runtime, token } = await foundCity(await startRuntime(), 0);
try {
  const own = await ownRate();
  const file = join(command.folder, 'soste.csv');
  await writeCsv(file);
  const map = 'session_id=Codice,plate=Targa,area_code=Zona,starts_at=Inizio,ends_at=Fine';
  const { seconds, peakMiB, printed } = await command.run(
    ['import', 'sessions', file, '--source', 'app', '--map', map],
    { PARKING_URL: runtime.service, PARKING_TOKEN: token },
  );
  const rate = LINES / seconds;
  console.log(printed.trim());
  console.log(`${LINES} lines of CSV: ${Math.round(rate)} lines/s, ${Math.round(peakMiB)} MiB at most`);
  console.log(
    `the service alone, the same lines in NDJSON: ${Math.round(own)} lines/s; share ${(rate / own).toFixed(2)}`,
  );
  if (peakMiB >= MAX_MIB || rate < own * MIN_SHARE) process.exitCode = 1;
} finally {
  await runtime.stop();
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
