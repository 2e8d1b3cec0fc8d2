// Builds the Worker and its files. Wrangler runs it before each of its commands.
import { collectAssets } from '../local/assets.ts';
import { buildWorker, writeWorker } from './worker.ts';

collectAssets();
writeWorker(await buildWorker());
