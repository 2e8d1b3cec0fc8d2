import type { components } from '../../types/schema.ts';
import { type JsonObject, parseObject } from '../json.ts';

export type BackupHeader = components['schemas']['BackupHeader'];
export type BackupPartEnd = components['schemas']['BackupPartEnd'];

/** A part of a municipality's backup. */
export interface BackupPart {
  readonly header: BackupHeader;
  readonly end: BackupPartEnd;
  /** The unchanged text, which a restore takes. */
  readonly text: string;
}

const FORMAT = 1;
const END_BEGINS = '\n{"type":"part",';

/** Reads a text as a part of a backup, without parsing its rows. Null: it is not one, or is incomplete. */
export function readBackupPart(text: string): BackupPart | null {
  const afterHeader = text.indexOf('\n');
  const beforeEnd = text.lastIndexOf('\n', text.length - 2);
  if (afterHeader < 0 || beforeEnd < afterHeader || !text.endsWith('\n')) return null;
  // Several parts in one text do not count: a restore takes them one by one.
  if (text.indexOf(END_BEGINS) !== beforeEnd) return null;
  const header = parseObject(text.slice(0, afterHeader));
  const end = parseObject(text.slice(beforeEnd + 1));
  return isHeader(header) && isEnd(end) ? { header, end, text } : null;
}

/** The service keeps to its description within a format. */
const isHeader = (line: JsonObject | null): line is BackupHeader & JsonObject =>
  line?.type === 'backup' && line.format === FORMAT;

const isEnd = (line: JsonObject | null): line is BackupPartEnd & JsonObject =>
  line?.type === 'part' && typeof line.more === 'boolean';
