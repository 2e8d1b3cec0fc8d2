import { succeed } from '../../serving/answer.ts';
import type { App } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { getStatus } from './contract.ts';
import { findStatus } from './find-status.ts';

/** Mounts the status. */
export const statusRoutes = (app: App): void =>
  serve(app, getStatus, async (c) => {
    await c.get('bounds');
    return succeed(c, await findStatus(c.env, c.get('now')));
  });
