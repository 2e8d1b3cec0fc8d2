import type { NotFoundHandler } from 'hono';
import { Refusal } from '../../base/errors/refusal.ts';
import type { AppEnv } from '../call.ts';
import { fail } from './on-error.ts';

/** Answers a path that nothing has. */
export const notFound: NotFoundHandler<AppEnv> = (c) => fail(c, new Refusal('NOT_FOUND'));
