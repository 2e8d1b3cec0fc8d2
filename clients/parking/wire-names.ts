import type { Answer, Input } from '../client/index.ts';

type Issue = Input<'issueCredential'>;
export type Scope = Issue['scopes'][number];
export type Location = NonNullable<Issue['location']>;
/** An empty one does not count. */
type AccessEvent = Exclude<Input<'checkPlate'>['event'], '' | null | undefined>;

/** Every scope of the description: a missing one does not compile. */
export const SCOPES = Object.keys({
  plate_check: true,
  subscription_options: true,
  subscription_payments: true,
  report: true,
  import: true,
  evidence: true,
  entitlement_list: true,
  patrol: true,
  office: true,
  office_read: true,
} satisfies Record<Scope, true>);

/** Where a credential's object may live. */
export const LOCATIONS = keysOf<Location>({
  wnam: true,
  enam: true,
  sam: true,
  weur: true,
  eeur: true,
  apac: true,
  oc: true,
  afr: true,
  me: true,
});

/** What can happen at a gate. */
export const EVENTS = keysOf<AccessEvent>({ verify: true, entry: true, exit: true });

/** What becomes of a payment, in the order in which it is shown. */
export const PAYMENT_STATES = keysOf<Answer<'findPaymentsForOffice'>['payments'][number]['state']>({
  accepted: true,
  unsettled: true,
  settled: true,
  reversed: true,
});

/** How an office settles a payment. */
export const SETTLED_OUTCOMES = keysOf<Input<'settlePayment'>['outcome']>({
  refunded: true,
  corrected: true,
});

/** `Object.keys` knows no more than that they are texts; the record has these keys and no others. */
function keysOf<Key extends string>(record: Record<Key, true>): readonly Key[] {
  return Object.keys(record) as Key[];
}
