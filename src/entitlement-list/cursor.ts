import type { journal } from '../db/schema/index.ts';
import type { Instant } from '../domain/instant.ts';
import { base64url } from './keys.ts';

/** A row of the journal, by its number and its random stamp: after a restore another row may have the number. */
export interface Mark {
  readonly sequence: number;
  readonly stamp: typeof journal.$inferSelect.stamp;
}

/** Where a full list continues. */
export type FullPosition =
  | {
      readonly part: 'sessions' | 'open_sessions';
      /** The last row that was looked at: its end, start and id. */
      readonly after: readonly [runsUntil: number, startsAt: number, id: number];
    }
  | {
      readonly part: 'subscriptions';
      /** The last one that was looked at. */
      readonly number: string;
      /** How many of its plates were looked at; null for all. */
      readonly plates: number | null;
    };

/** What a cursor contains: what the caller has received, and what comes next. */
export interface ListState {
  /** The instant of the list being sent, or of the last complete one. */
  readonly asOf: Instant;
  /** The journal's rows after this one are still to be sent. */
  readonly since: number;
  /** Of those, rows up to this one may already show in the full list, whose pages take a while. */
  readonly shownUpTo: number;
  /** The newest row that any of this depends on. */
  readonly mark: Mark;
  /** A digest of the settings that change every entry at once. */
  readonly settings: string;
  readonly page:
    | null
    | { readonly of: 'full'; readonly position: FullPosition }
    /** The instant of the changes being sent; `mark` is their last row. */
    | { readonly of: 'changes'; readonly asOf: Instant };
}

/** What a cursor is bound to, apart from the token, whose key seals it. */
export interface CursorBinding {
  /** The binding of the database. */
  readonly database: string;
  readonly municipalityId: number;
  readonly areaId: number;
}

const NONCE_BYTES = 12;
const encoder = new TextEncoder();

export async function sealCursor(state: ListState, binding: CursorBinding, key: CryptoKey): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv, additionalData: bytesOf(binding) },
    key,
    encoder.encode(JSON.stringify(state)),
  );
  return base64url(new Uint8Array([...iv, ...new Uint8Array(sealed)]));
}

/** @returns null for a cursor of another token or list, and for one that was made up */
export async function openCursor(
  cursor: string,
  binding: CursorBinding,
  key: CryptoKey,
): Promise<ListState | null> {
  try {
    const bytes = Uint8Array.fromBase64(cursor, { alphabet: 'base64url' });
    const opened = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv: bytes.subarray(0, NONCE_BYTES), additionalData: bytesOf(binding) },
      key,
      bytes.subarray(NONCE_BYTES),
    );
    // Only this service, with this version of the key, can have sealed it.
    return JSON.parse(new TextDecoder().decode(opened)) as ListState;
  } catch {
    return null;
  }
}

const bytesOf = ({ database, municipalityId, areaId }: CursorBinding): Uint8Array =>
  encoder.encode(JSON.stringify([database, municipalityId, areaId]));
