import type { Unread } from '../domain/plate-reading.ts';

/** More is stored of a plate than a call reads, and the answer would rest on what was not read: a failure, never a "no". */
export class UnreadError extends Error {
  override readonly name = 'UnreadError';
  readonly municipality: string;
  readonly unread: readonly Unread[];
  /** Where most of the sessions that were read come from; null for subscriptions alone. */
  readonly source: string | null;

  constructor(municipality: string, unread: readonly Unread[], source: string | null = null) {
    const from = source === null ? '' : `, most from the source ${source}`;
    super(
      `in ${municipality}, more is stored of the plate than a call reads (${unread.join(', ')}${from}), so that the answer is unknown`,
    );
    this.municipality = municipality;
    this.unread = unread;
    this.source = source;
  }
}
