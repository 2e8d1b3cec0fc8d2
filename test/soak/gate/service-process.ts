// The service as it is deployed, in a process of its own: `node service-process.ts FOLDER`. Prints where it listens.
import { migrate } from '../../../tools/local/migrations.ts';
import { launch } from '../../bench/runtime.ts';

const [folder, first] = process.argv.slice(2);
if (folder === undefined) throw new Error('which folder?');
const { miniflare, address } = await launch(['service'], { folder });
if (first === 'new') await migrate(await miniflare.getD1Database('DB', 'service'));
console.log(`listening on ${await address('service')}`);
