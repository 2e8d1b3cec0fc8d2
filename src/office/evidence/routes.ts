import { succeed } from '../../serving/answer.ts';
import type { App } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { collectEvidence } from './collect.ts';
import { searchEvidence } from './contract.ts';
import { presentEvidence } from './present.ts';

/** Mounts the search for evidence. */
export const evidenceRoutes = (app: App): void =>
  serve(app, searchEvidence, async (c) =>
    succeed(c, presentEvidence(await collectEvidence(c), c.get('now'), c.get('language'))),
  );
