import { type Caller, LINES_TYPE } from '../caller.ts';
import type { Expected } from '../calls/judge.ts';
import type { Result } from '../result.ts';
import type { CallOptions } from '../settings.ts';
import { type ListPage, readListPage } from './wire.ts';

export interface EntitlementListInput {
  /** The facility. */
  readonly area_code: string;
  /** Needed where the credential has several municipalities, inactive ones included. */
  readonly municipality_code?: string;
  /** From an earlier page: asks for the next page of the same list, or for the changes since the last one. */
  readonly cursor?: string;
  /** Lines of a page, 1 to 10,000; 5,000 by default. */
  readonly limit?: number;
}

/** A page of the entitlement list, in the service's own terms. */
export interface EntitlementListPage extends Omit<ListPage, 'end'> {
  /** Continues the list; after its last page, asks for the changes since. */
  readonly cursor: string;
  /** Whether the list has further pages. */
  readonly more: boolean;
}

/** A page of 10,000 lines takes the service 2 s at most; the rest is for the network. */
const PAGE_BUDGET_MS = 20_000;

const PAGE: Expected<EntitlementListPage> = {
  status: 200,
  contentType: LINES_TYPE,
  read: (text) => {
    const page = readListPage(text);
    if (page === null) return null;
    const { header, changes, end } = page;
    return { answer: { header, changes, cursor: end.cursor, more: end.more }, requestId: null };
  },
};

/** One page. */
export const entitlementListPage = (
  caller: Caller,
  input: EntitlementListInput,
  options: CallOptions,
): Promise<Result<EntitlementListPage>> =>
  caller.call('listEntitlements', { ...input }, { expected: PAGE, budgetMs: PAGE_BUDGET_MS }, options);

/** Page after page, until the last one or the first failure. */
export async function* entitlementListPages(
  caller: Caller,
  input: EntitlementListInput,
  options: CallOptions,
): AsyncGenerator<Result<EntitlementListPage>, void, void> {
  let page = await entitlementListPage(caller, input, options);
  yield page;
  while (page.ok && page.answer.more) {
    page = await entitlementListPage(caller, { ...input, cursor: page.answer.cursor }, options);
    yield page;
  }
}
