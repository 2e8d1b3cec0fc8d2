import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { BackupHeader } from '../../client/index.ts';
import { EXIT } from '../exit-codes.ts';
import type { Office } from '../office.ts';
import { partTime } from '../part-time.ts';
import { Stop, wrongUsage } from '../stop.ts';
import { Live } from '../terminal/live.ts';
import { counted } from '../terminal/numbers.ts';
import { PARTS, ROWS, rowsIn } from './read-file.ts';

const OWNER_ONLY = 0o600;
/** As for a part of an import. */
const PART_BUDGET_MS = 300_000;

/** A backup's progress. */
interface Taken {
  header: BackupHeader | undefined;
  parts: number;
  rows: number;
}

/** Backs a municipality up into a file, part by part: no more than one is held in memory. */
export async function runBackup(office: Office, code: string, file: string): Promise<void> {
  if (existsSync(file)) {
    throw wrongUsage({
      en: `${file} is there already, and is not overwritten.`,
      it: `${file} esiste già e non viene sovrascritto.`,
    });
  }
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
    throw error instanceof Stop ? error : cannotWrite(file, error);
  }
  report(office, taken, file);
}

async function* takeParts(office: Office, code: string, taken: Taken): AsyncGenerator<string> {
  const options = { budgetMs: PART_BUDGET_MS, ...office.call, ...partTime(office.environment) };
  const live = new Live(office.terminal, 'stderr');
  try {
    for (let after: string | undefined; ; ) {
      live.show(progressText(office, taken));
      const input = { code, ...(after !== undefined && { after }) };
      const part = await office.answer(office.client.backUpMunicipality(input, options));
      taken.header ??= part.header;
      taken.parts += 1;
      taken.rows += rowsIn(part);
      yield part.text;
      if (!part.end.more) return;
      ({ after } = part.end);
    }
  } finally {
    live.clear();
  }
}

const progressText = ({ language }: Office, { parts, rows }: Taken): string =>
  `${counted(parts, PARTS, language)}  ${counted(rows, ROWS, language)}`;

function report(office: Office, taken: Taken, file: string): void {
  const { terminal, json } = office;
  const { header, parts, rows } = taken;
  if (!json) {
    terminal.data(`${file}: ${progressText(office, taken)}`);
    return;
  }
  const { municipality_code, tenant, backup_id, begun_at } = { ...header };
  terminal.json({ file, municipality_code, tenant, backup_id, begun_at, parts, rows });
}

const cannotWrite = (file: string, why: unknown): Stop => {
  const reason = why instanceof Error ? why.message : String(why);
  return new Stop(EXIT.refused, {
    en: `${file} cannot be written: ${reason}.`,
    it: `${file} non è scrivibile: ${reason}.`,
  });
};
