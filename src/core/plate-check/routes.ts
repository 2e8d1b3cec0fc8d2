import type { App } from '../../serving/call.ts';
import { logged } from '../../serving/middleware/call-log.ts';
import { credential } from '../../serving/middleware/credential.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
import { json } from '../../serving/middleware/json.ts';
import { officer } from '../../serving/middleware/officer.ts';
import { checkPlate, checkPlateV1 } from './check-plate.ts';
import { plateCheck, plateCheckAlias, plateCheckV1 } from './contract.ts';

/** Mounts the plate check 2.0 under its two paths, and V1. */
export function plateCheckRoutes(app: App): void {
  for (const contract of [plateCheck, plateCheckAlias]) {
    const { path, deadlineMs, access, body } = contract;
    app.post(
      path,
      logged(contract),
      deadline(deadlineMs),
      credential(access),
      json(body),
      officer,
      checkPlate,
    );
  }
  const { path, deadlineMs, access, body } = plateCheckV1;
  app.post(
    path,
    logged(plateCheckV1),
    deadline(deadlineMs),
    credential(access),
    json(body),
    officer,
    checkPlateV1,
  );
}
