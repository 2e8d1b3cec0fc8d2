import type { Unread } from '../domain/plate-reading.ts';

/** The answer would depend on rows of the plate that were too many to be read: a failure, never a "no". */
export class UnreadError extends Error {
  override readonly name = 'UnreadError';
  readonly municipality: string;
  readonly unread: readonly Unread[];
  /** Where most of what was read comes from; null for subscriptions alone. */
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

/** The source of most of these. */
export function sourceOfMost(read: readonly { readonly sourceCode: string | null }[]): string | null {
  const bySource = [...Map.groupBy(read, ({ sourceCode }) => sourceCode)];
  const [first] = bySource.sort(([, some], [, others]) => others.length - some.length);
  return first?.[0] ?? null;
}
