// Collects what is deployed beside the Worker: the description, and the reference page with all that it loads.
import { collectAssets } from './assets.ts';

collectAssets();
