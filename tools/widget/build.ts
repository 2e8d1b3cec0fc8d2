// Bundles the widget, puts it among the assets, and says how large it is.

import { gzipSync } from 'node:zlib';
import { collectAssets } from '../local/assets.ts';
import { print } from '../print.ts';
import { widgetBundle } from './bundle.ts';

collectAssets();
const bundle = widgetBundle();
const kib = (bytes: number): string => `${(bytes / 1_024).toFixed(1)} KiB`;
print(`.wrangler/assets/widget/v1.js: ${kib(bundle.length)}, ${kib(gzipSync(bundle).length)} compressed`);
