/** The instants that a subscription's plates share: names in JSON, and columns. */
export const SHARED_INSTANTS = [
  ['authorized_from', 'authorizedFrom'],
  ['authorized_until', 'authorizedUntil'],
  ['suspended_from', 'suspendedFrom'],
  ['suspended_until', 'suspendedUntil'],
  ['revoked_at', 'revokedAt'],
] as const;
type Name = (typeof SHARED_INSTANTS)[number][0];
export type SharedColumn = (typeof SHARED_INSTANTS)[number][1];

/** A value for each shared instant, by name. */
export type ByName<Value> = { readonly [Each in Name]: Value };
/** A value for each shared instant, by column. */
export type ByColumn<Value> = { readonly [Each in SharedColumn]: Value };

export const byName = <Value>(make: (name: Name, column: SharedColumn) => Value): ByName<Value> =>
  // One entry for each name.
  Object.fromEntries(SHARED_INSTANTS.map(([name, column]) => [name, make(name, column)])) as ByName<Value>;

export const byColumn = <Value>(make: (column: SharedColumn) => Value): ByColumn<Value> =>
  // One entry for each column.
  Object.fromEntries(SHARED_INSTANTS.map(([, column]) => [column, make(column)])) as ByColumn<Value>;
