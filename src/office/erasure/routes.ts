import { succeed } from '../../serving/answer.ts';
import type { App } from '../../serving/call.ts';
import { administration } from '../../serving/middleware/administration.ts';
import { logged } from '../../serving/middleware/call-log.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
import { json } from '../../serving/middleware/json.ts';
import { officer } from '../../serving/middleware/officer.ts';
import { findHolder } from '../administration/holders-table.ts';
import { noteAbout } from '../administration/trail.ts';
import { erasureOfPlate } from './contract.ts';
import { erasePlate } from './erase-plate.ts';

/** Mounts the erasure of a plate. */
export function erasureRoutes(app: App): void {
  const { path, deadlineMs, access, body } = erasureOfPlate;
  app.post(
    path,
    logged(erasureOfPlate),
    deadline(deadlineMs),
    administration(access),
    json(body),
    officer,
    async (c) => {
      const holder = await findHolder(c.env, await c.var.bounds, c.req.valid('json'));
      noteAbout(c.var.log, { tenants: [holder.tenant], municipalities: [] });
      return succeed(c, await erasePlate(c.env, holder, c.var.now));
    },
  );
}
