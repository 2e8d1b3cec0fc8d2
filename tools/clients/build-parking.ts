// Bundles the command `parking` where `npx parking` finds it. `npm ci` and `npm start` run it.

import { takeNoArguments } from '../command-line.ts';
import { bundleParking } from './parking.ts';

takeNoArguments('npm run prepare: bundles the command parking');

bundleParking();
