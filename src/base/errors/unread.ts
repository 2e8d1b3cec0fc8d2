import type { Unread } from '../../domain/plate-bounds.ts';
import type { Text } from '../text/text.ts';

/** The answer would depend on rows of the plate that were too many to be read: a failure, never a "no". */
export class UnreadError extends Error {
  override readonly name = 'UnreadError';
  readonly municipality: string;
  /** The source of most of the rows; null if all are subscriptions. */
  readonly source: string | null;

  constructor(municipality: string, unread: readonly Unread[], source: string | null = null) {
    const from = source === null ? '' : `, most from the source ${source}`;
    super(
      `in ${municipality}, more is stored of the plate than a call reads (${unread.join(', ')}${from}), so that the answer is unknown`,
    );
    this.municipality = municipality;
    this.source = source;
  }
}

/** Its message: the usual advice, to ask again, would be wrong. */
export const UNREAD_TEXT: Text = {
  en: 'More is stored of this plate than one call reads, so that the answer is not known. This says nothing about the vehicle. Asking again gives the same: give the request_id to the operator of the service.',
  it: 'Di questa targa è registrato più di quanto una chiamata possa leggere: la risposta non è nota, e non è una risposta sul veicolo. Ripetere non serve: comunicare il request_id a chi gestisce il servizio.',
};

/** The source of most of these. */
export function sourceOfMost(read: readonly { readonly sourceCode: string | null }[]): string | null {
  const bySource = [...Map.groupBy(read, ({ sourceCode }) => sourceCode)];
  const [first] = bySource.sort(([, some], [, others]) => others.length - some.length);
  return first?.[0] ?? null;
}
