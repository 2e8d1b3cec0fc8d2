declare const HOLDS: unique symbol;

/** Text that holds JSON: a list that is bound as one parameter, or a value that a statement makes of several rows. */
export type Json<Value> = string & { readonly [HOLDS]: Value };

/** A value as JSON. */
export const json = <Value>(value: Value): Json<Value> => JSON.stringify(value) as Json<Value>;

/** The value that was made JSON: by {@link json}, or by a statement that says what its column holds. */
export const parsed = <Value>(text: Json<Value>): Value => JSON.parse(text) as Value;
