declare const HOLDS: unique symbol;

/** JSON text: a list that is bound as one parameter, or a value that a statement builds from several rows. */
export type Json<Value> = string & { readonly [HOLDS]: Value };

export const json = <Value>(value: Value): Json<Value> => JSON.stringify(value) as Json<Value>;

/** Parses JSON text of {@link json}, or of a statement's typed column. */
export const parsed = <Value>(text: Json<Value>): Value => JSON.parse(text) as Value;
