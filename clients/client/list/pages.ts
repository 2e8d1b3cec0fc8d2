import { OPERATIONS } from '../../types/operations.ts';
import { type Caller, illFormed, queryOf } from '../caller.ts';
import type { Expected } from '../calls/judge.ts';
import type { Result } from '../result.ts';
import type { CallOptions } from '../settings.ts';
import { isWellFormed } from '../well-formed.ts';
import { type ListPage, readListPage } from './wire.ts';

export interface EntitlementListInput {
  /** The facility. */
  readonly area_code: string;
  /** Needed where the credential has several active municipalities. */
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

const LINES_TYPE = 'application/x-ndjson';
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
export async function entitlementListPage(
  caller: Caller,
  { area_code, ...query }: EntitlementListInput,
  options: CallOptions,
): Promise<Result<EntitlementListPage>> {
  if (!isWellFormed({ area_code, ...query })) return illFormed();
  const { method, path, access } = OPERATIONS.listEntitlements;
  const call = {
    method,
    path: path.replace('{area_code}', encodeURIComponent(area_code)) + queryOf({ ...query }),
    access,
    accept: `${LINES_TYPE}, application/json`,
    budgetMs: PAGE_BUDGET_MS,
    repeatable: true,
  } as const;
  return caller.make(call, PAGE, options);
}

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
