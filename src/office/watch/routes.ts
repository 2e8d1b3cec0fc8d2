import { succeed } from '../../serving/answer.ts';
import type { App } from '../../serving/call.ts';
import { administration } from '../../serving/middleware/administration.ts';
import { logged } from '../../serving/middleware/call-log.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
import { getStatus } from './contract.ts';
import { findStatus } from './find-status.ts';

/** Mounts the status. */
export function statusRoutes(app: App): void {
  const { path, deadlineMs, access } = getStatus;
  app.get(path, logged(getStatus), deadline(deadlineMs), administration(access), async (c) => {
    await c.get('bounds');
    return succeed(c, await findStatus(c.env, c.get('now')));
  });
}
