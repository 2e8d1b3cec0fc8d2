import type { App } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { checkPlate, checkPlateV1 } from './check-plate.ts';
import { plateCheck, plateCheckAlias, plateCheckV1 } from './contract.ts';

/** Mounts the plate check 2.0 under its two paths, and V1. */
export function plateCheckRoutes(app: App): void {
  serve(app, plateCheck, checkPlate);
  serve(app, plateCheckAlias, checkPlate);
  serve(app, plateCheckV1, checkPlateV1);
}
