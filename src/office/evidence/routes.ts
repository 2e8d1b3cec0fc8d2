import type { App } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { searchEvidence } from './contract.ts';
import { findEvidence } from './find-evidence.ts';

/** Mounts the search for evidence. */
export const evidenceRoutes = (app: App): void => serve(app, searchEvidence, findEvidence);
