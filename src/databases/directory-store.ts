import * as z from 'zod';
import type { Env } from '../env.ts';
import { withTimeout } from '../platform/deadline.ts';
import { errorMessage } from '../platform/error-message.ts';
import { logEvent } from '../platform/log-event.ts';
import { type DirectoryEntry, listElsewhere } from './directory-table.ts';

/** The key of the directory in KV: where the municipalities are that are not in the home. */
const KEY = 'databases';
/** The minimum that KV allows: the directory is a hint, and may be old. */
const CACHED_SECONDS = 30;
/** If KV takes longer, the home is asked, whose row points to the right database. */
const READ_WITHIN_MS = 250;

const packedDirectory = z.strictObject({
  version: z.literal(1),
  /** Codes by the name of their database. */
  databases: z.record(z.string(), z.array(z.string())),
});

/** @throws Error when KV cannot be read in time, or holds something else */
export async function readDirectory(kv: KVNamespace): Promise<DirectoryEntry[]> {
  const value = await withTimeout(READ_WITHIN_MS, kv.get(KEY, { type: 'text', cacheTtl: CACHED_SECONDS }));
  const databases = value === null ? {} : packedDirectory.parse(JSON.parse(value)).databases;
  return Object.entries(databases).flatMap(([database, codes]) => codes.map((code) => ({ code, database })));
}

/** @param entries of all municipalities that are not in the home */
export async function writeDirectory(kv: KVNamespace, entries: readonly DirectoryEntry[]): Promise<void> {
  const databases: Record<string, string[]> = {};
  for (const { code, database } of entries) {
    databases[database] ??= [];
    databases[database].push(code);
  }
  const packed: z.infer<typeof packedDirectory> = { version: 1, databases };
  await kv.put(KEY, JSON.stringify(packed));
}

/** Writes what the home says. Where that fails, the home's rows still lead to the right database. */
export async function renewDirectory({ SNAPSHOTS, DB }: Env): Promise<void> {
  try {
    await writeDirectory(SNAPSHOTS, await listElsewhere(DB));
  } catch (error) {
    logEvent('warn', 'directory_not_written', { message: errorMessage(error) });
  }
}
