import * as z from 'zod';
import { type Instant, SECOND_MS } from '../domain/instant.ts';
import type { Env } from '../env.ts';
import { withTimeout } from '../platform/deadline.ts';
import { listPublicMunicipalities } from './public-municipalities-table.ts';

/** A municipality whose occupancy is public. */
export interface PublicMunicipality {
  readonly code: string;
  readonly name: string;
  readonly timeZone: string;
}

/** By code, ordered by code. */
export type PublicDirectory = ReadonlyMap<string, PublicMunicipality>;

const KEY = 'public';
/** As for a snapshot: the minimum that KV allows, and how long an answer may wait for it. */
const CACHED_SECONDS = 30;
const READ_WITHIN_MS = 1_000;
/** How long an isolate answers from what it has read. Short, since a switch has to show within 120 seconds. */
const HELD_MS = 5 * SECOND_MS;

/** What is in KV: code, name and time zone of each, ordered by code. */
const packedDirectory = z.strictObject({
  version: z.literal(1),
  municipalities: z.array(z.tuple([z.string(), z.string(), z.string()])),
});

interface Held {
  readonly kv: KVNamespace;
  readonly readAt: Instant;
  readonly directory: PublicDirectory;
}

/** What this isolate read last. What it writes itself shows at once. */
let held: Held | null = null;

/**
 * The public municipalities, as the last run or configuration wrote them. One KV read at most.
 *
 * @throws Error when KV cannot be read, or holds something else
 */
export async function readPublicDirectory(kv: KVNamespace, now: Instant): Promise<PublicDirectory> {
  if (held !== null && held.kv === kv && held.readAt <= now && now < held.readAt + HELD_MS) {
    return held.directory;
  }
  const value = await withTimeout(READ_WITHIN_MS, kv.get(KEY, { type: 'text', cacheTtl: CACHED_SECONDS }));
  // No value at all: no municipality has been public yet.
  const directory: PublicDirectory = value === null ? new Map() : unpack(value);
  held = { kv, readAt: now, directory };
  return directory;
}

/** Rewrites the directory from the primary database. */
export async function writePublicDirectory({ DB, SNAPSHOTS }: Pick<Env, 'DB' | 'SNAPSHOTS'>): Promise<void> {
  const municipalities = await listPublicMunicipalities(DB);
  const packed: z.infer<typeof packedDirectory> = {
    version: 1,
    municipalities: municipalities.map(({ code, name, timeZone }) => [code, name, timeZone]),
  };
  await SNAPSHOTS.put(KEY, JSON.stringify(packed));
  held = null;
}

function unpack(value: string): PublicDirectory {
  const { municipalities } = packedDirectory.parse(JSON.parse(value));
  return new Map(municipalities.map(([code, name, timeZone]) => [code, { code, name, timeZone }]));
}
