import type { OPERATIONS } from '../types/operations.ts';
import type { operations } from '../types/schema.ts';

/** The id of an operation, as the description has it. */
export type OperationId = keyof typeof OPERATIONS & keyof operations;

type Shown<T> = { [Key in keyof T]: T[Key] };
/** No parameters at all are `undefined` in the generated types. */
type Given<T> = [T] extends [undefined] ? unknown : NonNullable<T>;

type Parameters<Id extends OperationId, Place extends 'path' | 'query'> = Given<
  operations[Id]['parameters'][Place]
>;

type RequestBody<Id extends OperationId> =
  NonNullable<operations[Id]['requestBody']> extends { content: { 'application/json': infer Body } }
    ? Fields<Body>
    : unknown;

/**
 * An object without properties is `Record<string, never>` in the generated types, which allows no parameter
 * next to it.
 */
type Fields<Body> = string extends keyof Body ? unknown : Body;

/** An operation's input, in one object: the parameters of its path and query, and the fields of its body. */
export type Input<Id extends OperationId> = Shown<
  Parameters<Id, 'path'> & Parameters<Id, 'query'> & RequestBody<Id>
>;

type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never;

/** An operation's answer on success. */
export type Answer<Id extends OperationId> = Id extends OperationId
  ? SuccessOf<operations[Id]['responses']>
  : never;

type SuccessOf<Responses> = {
  [Status in keyof Responses]: Status extends 200 | 201 ? JsonOf<Responses[Status]> : never;
}[keyof Responses];

/** Operations that take newline-delimited JSON, or answer with something else than plain JSON. */
type LinesOperationId = {
  [Id in OperationId]: (typeof OPERATIONS)[Id]['body'] extends 'lines'
    ? Id
    : (typeof OPERATIONS)[Id]['answer'] extends null
      ? Id
      : never;
}[OperationId];

/** The same operation under an earlier path. */
type AliasId = 'checkPlateAlias';

/** Operations that take an object, and answer with one: each is a method of the client under its own id. */
export type JsonOperationId = Exclude<OperationId, LinesOperationId | AliasId>;
