import type { Language } from '../../../src/base/text/text.ts';
import type { KindName } from '../../tables/fields.ts';
import type { Mapping } from '../../tables/mapping.ts';

export type { Mapping };

/** How a whole table is to be read. */
export interface Reading {
  readonly kind: 'read';
  readonly file: File;
  readonly headerRow: number;
  readonly importKind: KindName;
  readonly mapping: Mapping;
  readonly timezone: string;
  readonly endDates: 'included' | 'excluded';
  readonly language: Language;
}

/** What the page asks of the reader. */
export type Request =
  | { readonly kind: 'open'; readonly file: File; readonly headerRow: number; readonly language: Language }
  | Reading
  /** The lines that the service has refused, by their numbers: the answer has all rejected rows. */
  | {
      readonly kind: 'refused';
      readonly errors: readonly { readonly line: number; readonly message: string }[];
    };

/** A row that cannot be imported as it is. */
export interface Rejected {
  readonly row: number;
  readonly message: string;
}

/** One of the first rows, with the line that it becomes. */
export interface Previewed extends Rejected {
  readonly line: Readonly<Record<string, unknown>>;
}

export interface Read {
  readonly kind: 'read';
  /** Newline-delimited JSON, ready to be sent. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly lines: number;
  readonly rows: number;
  readonly preview: readonly Previewed[];
  readonly rejected: readonly Rejected[];
  /** Which encoding was assumed. */
  readonly notes: readonly string[];
}

/** What the reader tells the page. */
export type Reply =
  | { readonly kind: 'opened'; readonly header: readonly string[] }
  | { readonly kind: 'reading'; readonly rows: number; readonly bytes: number }
  | Read
  /** All rejected rows, and the same as a table to correct. */
  | { readonly kind: 'rejected'; readonly rejected: readonly Rejected[]; readonly file: string }
  | { readonly kind: 'failed'; readonly message: string };
