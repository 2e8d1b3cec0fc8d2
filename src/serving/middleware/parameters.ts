import { zValidator } from '@hono/zod-validator';
import type { MiddlewareHandler } from 'hono';
import type * as z from 'zod';
import type { core } from 'zod';
import { refuseFields } from '../../base/errors/refusal.ts';
import type { AppEnv, Validated } from '../call.ts';
import { issuesOf } from '../http/validation.ts';

/** Validates the query. A parameter given twice is refused: only one of them could count. */
export const query = <Schema extends z.ZodObject>(schema: Schema) => parameters('query', schema);

/** Validates the parameters of the path. */
export const path = <Schema extends z.ZodObject>(schema: Schema) => parameters('param', schema);

/** @throws Refusal `INVALID_REQUEST` */
const parameters = <Target extends 'query' | 'param', Schema extends z.ZodObject>(
  target: Target,
  schema: Schema,
): MiddlewareHandler<AppEnv, string, Validated<Target, Schema>> =>
  zValidator<
    Schema,
    Target,
    AppEnv,
    string,
    typeof refuseInvalid,
    z.input<Schema>,
    z.output<Schema>,
    Validated<Target, Schema>
  >(target, schema, refuseInvalid);

/** Refuses what a schema refuses. */
export function refuseInvalid(result: { success: boolean; error?: { issues: core.$ZodIssue[] } }): void {
  if (result.error !== undefined) refuseFields(issuesOf(result.error.issues));
}
