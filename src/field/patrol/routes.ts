import type { App } from '../../serving/call.ts';
import { logged } from '../../serving/middleware/call-log.ts';
import { credential } from '../../serving/middleware/credential.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
import { json } from '../../serving/middleware/json.ts';
import { officer } from '../../serving/middleware/officer.ts';
import { checkPatrol } from './check-patrol.ts';
import { patrol } from './contract.ts';

/** Mounts the patrol. */
export function patrolRoutes(app: App): void {
  const { path, deadlineMs, access, body } = patrol;
  app.post(path, logged(patrol), deadline(deadlineMs), credential(access), json(body), officer, checkPatrol);
}
