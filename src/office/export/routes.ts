import { succeed } from '../../serving/answer.ts';
import type { App } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { findHolder } from '../administration/holders-table.ts';
import { noteAbout } from '../administration/trail.ts';
import { exportOfPlate } from './contract.ts';
import { exportPlate } from './export-plate.ts';

/** Mounts the export of a plate. */
export const exportRoutes = (app: App): void =>
  serve(app, exportOfPlate, async (c) => {
    const request = c.req.valid('json');
    const holder = await findHolder(c.env, await c.get('bounds'), request);
    noteAbout(c.get('log'), { tenants: [holder.tenant], municipalities: [] });
    return succeed(c, await exportPlate(c.env, holder, request.after ?? null, c.get('language')));
  });
