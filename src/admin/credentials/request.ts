import * as z from 'zod';
import { SCOPES } from '../../access/credential-record.ts';
import { isAllowlistEntry } from '../../access/ip-allowlist.ts';
import { NAME_LENGTH } from '../../db/schema/columns.ts';
import { OBJECT_LOCATIONS } from '../../db/schema/index.ts';
import { instantText } from '../../http/fields.ts';
import { customIssue } from '../../http/validation.ts';
import type { Text } from '../../text/text.ts';
import { line, storedCode } from '../fields.ts';

/** Each entry is compared at every call of the credential. */
export const MAX_ALLOWLIST_ENTRIES = 1_000;
/** More than any archive holds; null stands for no limit. */
const MAX_HISTORICAL_DAYS = 1_000_000;
/** A week: enough time to update a fleet. */
const MAX_OVERLAP_SECONDS = 604_800;
export const MAX_LISTED = 200;
const LISTED_BY_DEFAULT = 100;

const REPEATED: Text = { en: 'is in the list already', it: "è già nell'elenco" };
const NO_ALLOWLIST_ENTRY: Text = {
  en: 'must be an IPv4 or IPv6 address, or a CIDR block without host bits set',
  it: 'deve essere un indirizzo IPv4 o IPv6, o un blocco CIDR senza bit di host',
};

/** A list without repetitions, of one item or more. */
const uniqueList = <Item extends z.ZodType<string>>(item: Item) =>
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
      // Also when an item is wrong: all issues are reported at once.
      { when: ({ value }) => Array.isArray(value) },
    )
    .meta({ uniqueItems: true });

const allowlistEntry = z
  .string()
  .trim()
  .refine(isAllowlistEntry, { params: customIssue(NO_ALLOWLIST_ENTRY) });

/** At most `limit` calls in any `window_seconds`. */
export const rateLimitRequest = z.strictObject({
  limit: z.int().min(1).max(10_000),
  window_seconds: z.int().min(1).max(3_600),
});

const required = {
  name: line(NAME_LENGTH),
  scopes: uniqueList(z.enum(SCOPES)).meta({ uniqueItems: true, maxItems: SCOPES.length }),
  municipalities: uniqueList(storedCode()),
};

const optional = {
  ip_allowlist: z.array(allowlistEntry).min(1).max(MAX_ALLOWLIST_ENTRIES).nullish(),
  expires_at: instantText.nullish(),
  rate_limit: rateLimitRequest.nullish(),
  historical_days_allowed: z.int().min(0).max(MAX_HISTORICAL_DAYS).nullish(),
  source_code: storedCode().nullish(),
};

/** What a credential is issued with. An absent property takes its default. */
export const issueRequest = z.strictObject({
  tenant: storedCode(),
  ...required,
  ...optional,
  location: z.enum(OBJECT_LOCATIONS).nullish(),
});
export type IssueRequest = z.infer<typeof issueRequest>;

/**
 * What to change of a credential: anything but its tenant, and its location, since an object never moves. An absent
 * property stays as it is, and null resets one that may be null (`historical_days_allowed`: to no limit).
 */
export const changeRequest = z.strictObject({ ...required, ...optional }).partial();
export type ChangeRequest = z.infer<typeof changeRequest>;

export const rotateRequest = z.strictObject({
  overlap_seconds: z
    .int()
    .min(0)
    .max(MAX_OVERLAP_SECONDS)
    .nullish()
    .transform((seconds) => seconds ?? 0),
});

/** A revocation and a reconciliation need no input: the body may be absent or an empty object. */
export const emptyRequest = z.strictObject({});

export const listQuery = z.strictObject({
  tenant: storedCode().optional(),
  municipality_code: storedCode().optional(),
  limit: z.coerce.number().int().min(1).max(MAX_LISTED).default(LISTED_BY_DEFAULT),
  after: storedCode().optional(),
});
export type ListQuery = z.infer<typeof listQuery>;
