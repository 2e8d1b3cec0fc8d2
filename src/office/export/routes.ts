import { succeed } from '../../serving/answer.ts';
import type { App } from '../../serving/call.ts';
import { administration } from '../../serving/middleware/administration.ts';
import { logged } from '../../serving/middleware/call-log.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
import { json } from '../../serving/middleware/json.ts';
import { officer } from '../../serving/middleware/officer.ts';
import { findHolder } from '../administration/holders-table.ts';
import { noteAbout } from '../administration/trail.ts';
import { exportOfPlate } from './contract.ts';
import { exportPlate } from './export-plate.ts';

/** Mounts the export of a plate. */
export function exportRoutes(app: App): void {
  const { path, deadlineMs, access, body } = exportOfPlate;
  app.post(
    path,
    logged(exportOfPlate),
    deadline(deadlineMs),
    administration(access),
    json(body),
    officer,
    async (c) => {
      const request = c.req.valid('json');

      const holder = await findHolder(c.env, await c.get('bounds'), request);
      noteAbout(c.get('log'), { tenants: [holder.tenant], municipalities: [] });
      return succeed(c, await exportPlate(c.env, holder, request.after ?? null, c.get('language')));
    },
  );
}
