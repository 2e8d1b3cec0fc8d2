// Bundles the command `parking` where `npx parking` finds it. `npm ci` does it, and so does every `npm start`.

import { takeNoArguments } from '../command-line.ts';
import { bundleParking } from './parking.ts';

takeNoArguments('npm run prepare: bundles the command parking');

bundleParking();
