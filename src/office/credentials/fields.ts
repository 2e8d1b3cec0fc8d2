import * as z from 'zod';
import type { Text } from '../../base/text/text.ts';
import { isAllowlistEntry } from '../../serving/access/ip-allowlist.ts';
import { storedCode } from '../../serving/administration/fields.ts';
import { customIssue } from '../../serving/http/validation.ts';

/** Each entry is compared at every call of the credential. */
export const MAX_ALLOWLIST_ENTRIES = 1_000;
/** More than any archive holds; null means no limit. */
const MAX_HISTORICAL_DAYS = 1_000_000;
/** A barrier has one area, an officer a quarter of a city. */
export const MAX_BOUND_AREAS = 200;

const REPEATED: Text = { en: 'is in the list already', it: "è già nell'elenco" };
const NO_ALLOWLIST_ENTRY: Text = {
  en: 'must be an IPv4 or IPv6 address, or a CIDR block without host bits set',
  it: 'deve essere un indirizzo IPv4 o IPv6, o un blocco CIDR senza bit di host',
};

/** A list without repetitions, of one item or more. */
export const uniqueList = <Item extends z.ZodType<string>>(item: Item) =>
  z
    .array(item)
    .min(1)
    .superRefine(
      (items, ctx) => {
        const seen = new Set<string>();
        for (const [index, value] of items.entries()) {
          if (seen.has(value)) {
            ctx.addIssue({ code: 'custom', path: [index], params: customIssue(REPEATED) });
          }
          seen.add(value);
        }
      },
      // Checked even when an item is wrong, so that all issues are reported at once.
      { when: ({ value }) => Array.isArray(value) },
    )
    .meta({ uniqueItems: true });

const rateLimitRequest = z
  .strictObject({
    limit: z.int().min(1).max(10_000).describe('The most calls in any window.'),
    window_seconds: z.int().min(1).max(3_600).describe('The length of the window, in seconds.'),
  })
  .meta({
    id: 'RateLimitRequest',
    description: 'At most `limit` calls in any `window_seconds` seconds, for each of its budgets.',
  });

/** How far back it may look. */
export const historicalDays = z.int().min(0).max(MAX_HISTORICAL_DAYS).nullish();
/** The addresses from which it may call. */
export const allowlist = z
  .array(
    z
      .string()
      .trim()
      .refine(isAllowlistEntry, { params: customIssue(NO_ALLOWLIST_ENTRY) }),
  )
  .min(1)
  .max(MAX_ALLOWLIST_ENTRIES)
  .nullish();
export const rateLimit = rateLimitRequest.nullish();
/** The areas that it is bound to. */
export const areas = uniqueList(storedCode()).max(MAX_BOUND_AREAS).meta({ uniqueItems: true }).nullish();
