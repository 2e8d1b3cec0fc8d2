// Builds what is deployed: the Worker, and the files that go with it. Wrangler runs it before all that it does.
import { collectAssets } from '../local/assets.ts';
import { buildWorker, writeWorker } from './worker.ts';

collectAssets();
writeWorker(await buildWorker());
