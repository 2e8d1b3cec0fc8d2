import type { App } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { checkPatrol } from './check-patrol.ts';
import { patrol } from './contract.ts';

/** Mounts the patrol. */
export const patrolRoutes = (app: App): void => serve(app, patrol, checkPatrol);
