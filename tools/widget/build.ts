// Bundles the widget, puts it among the assets, and says how large it is.

import { gzipSync } from 'node:zlib';
import { takeNoArguments } from '../command-line.ts';
import { collectAssets } from '../local/assets.ts';
import { print } from '../print.ts';
import { widgetBundle } from './bundle.ts';

takeNoArguments('npm run build:widget: bundles the widget, and says how large it is');

collectAssets();
const bundle = widgetBundle();
const kib = (bytes: number): string => `${(bytes / 1_024).toFixed(1)} KiB`;
print(`.wrangler/assets/widget/v1.js: ${kib(bundle.length)}, ${kib(gzipSync(bundle).length)} compressed`);
