import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { BackupHeader } from '../../client/index.ts';
import { rowsIn } from '../backup-file.ts';
import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';
import { OWNER_ONLY } from '../own-file.ts';
import { EXIT, Stop, wrongUsage } from '../stop.ts';

const PART_BUDGET_MS = 300_000;

export const backupCommand = (office: Office): AnyCommand =>
  commandOf('backup', 'Back a municipality up into a file. The file holds plates in clear.', [
    'parking backup H501 --out h501.ndjson.gz',
  ])
    .argument('<municipality>', 'its code')
    .requiredOption('-o, --out <file>', 'a new file (gzip, mode 600); FILE.unfinished until it is whole')
    .action((code, { out }) => backUp(office, code, out));

/** A backup's progress. */
interface Taken {
  header: BackupHeader | undefined;
  parts: number;
  rows: number;
}

/** Backs a municipality up into a file, part by part: no more than one is held in memory. */
async function backUp(office: Office, code: string, file: string): Promise<void> {
  if (existsSync(file)) throw wrongUsage(`${file} is there already, and is not overwritten.`);
  const draft = `${file}.unfinished`;
  const taken: Taken = { header: undefined, parts: 0, rows: 0 };
  try {
    // A killed command may have left one, with another mode.
    rmSync(draft, { force: true });
    const out = createWriteStream(draft, { flags: 'wx', mode: OWNER_ONLY, flush: true });
    await pipeline(takeParts(office, code, taken), createGzip(), out);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    if (error instanceof Stop) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Stop(EXIT.refused, `${file} cannot be written: ${reason}.`);
  } finally {
    office.terminal.progress(null);
  }
  const { municipality_code, tenant, backup_id, begun_at } = { ...taken.header };
  const { parts, rows } = taken;
  office.show({ file, municipality_code, tenant, backup_id, begun_at, parts, rows });
}

async function* takeParts(office: Office, code: string, taken: Taken): AsyncGenerator<string> {
  const options = { budgetMs: PART_BUDGET_MS, ...office.call, ...office.partTime };
  const parts = office.pages(
    (cursor) => office.client.backUpMunicipality({ code, ...cursor }, options),
    ({ end }) => (end.more ? end.after : null),
  );
  for await (const part of parts) {
    taken.header ??= part.header;
    taken.parts += 1;
    taken.rows += rowsIn(part);
    office.terminal.progress(`${taken.parts} parts, ${taken.rows} rows`);
    yield part.text;
  }
}
