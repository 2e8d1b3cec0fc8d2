import type { App } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { activeByArea } from './contract.ts';
import { reportActiveByArea } from './report-active-by-area.ts';

/** Mounts the report. */
export const activeByAreaRoutes = (app: App): void => serve(app, activeByArea, reportActiveByArea);
