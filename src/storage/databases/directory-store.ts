import * as z from 'zod';
import { withTimeout } from '../../base/platform/deadline.ts';
import { kvNote } from '../../base/platform/kv-notes.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import type { Env } from '../../env.ts';
import { type DirectoryEntry, listElsewhere } from './directory-table.ts';

/** If KV takes longer, the call asks the home, whose row points to the right database. */
const READ_WITHIN_MS = 250;

/** The codes of the municipalities outside the home, by the name of their database. May be stale. */
const packedDirectory = kvNote(
  'databases',
  z.strictObject({ version: z.literal(1), databases: z.record(z.string(), z.array(z.string())) }),
);

/** @throws Error if KV does not answer in time, or its value is not a directory */
export async function readDirectory(kv: KVNamespace): Promise<DirectoryEntry[]> {
  const packed = await withTimeout(READ_WITHIN_MS, packedDirectory.read(kv));
  return Object.entries(packed?.databases ?? {}).flatMap(([database, codes]) =>
    codes.map((code) => ({ code, database })),
  );
}

/** @param entries all municipalities outside the home */
export async function writeDirectory(kv: KVNamespace, entries: readonly DirectoryEntry[]): Promise<void> {
  const databases: Record<string, string[]> = {};
  for (const { code, database } of entries) {
    databases[database] ??= [];
    databases[database].push(code);
  }
  await packedDirectory.write(kv, { version: 1, databases });
}

/** Copies the home's directory to KV. If that fails, the home's rows still lead to the right database. */
export async function renewDirectory({ SNAPSHOTS, DB }: Env): Promise<void> {
  try {
    await writeDirectory(SNAPSHOTS, await listElsewhere(DB));
  } catch (error) {
    logEvent('warn', 'directory_not_written', { message: errorMessage(error) });
  }
}
