// Collects what is deployed beside the Worker: the description, the pages with all that they load, and the widget.
import { collectAssets } from './assets.ts';

collectAssets();
