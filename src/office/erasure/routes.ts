import { succeed } from '../../serving/answer.ts';
import type { App } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { findHolder } from '../administration/holders-table.ts';
import { noteAbout } from '../administration/trail.ts';
import { erasureOfPlate } from './contract.ts';
import { erasePlate, liftErasure } from './erase-plate.ts';

/** Mounts the erasure of a plate. */
export const erasureRoutes = (app: App): void =>
  serve(app, erasureOfPlate, async (c) => {
    const { after, lift, ...named } = c.req.valid('json');
    const holder = await findHolder(c.env, await c.get('bounds'), named);
    noteAbout(c.get('log'), { tenants: [holder.tenant], municipalities: [] });
    return succeed(c, lift ? await liftErasure(c.env, holder) : await erasePlate(c, holder, after));
  });
