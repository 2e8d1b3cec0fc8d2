// Makes the types of the clients and bundles the command `parking` where `npx parking` finds it. `npm ci` runs it.

import { takeNoArguments } from '../command-line.ts';
import { bundleParking } from './parking.ts';
import { makeClientTypes } from './types.ts';

takeNoArguments('npm run prepare: makes the types of the clients, and bundles the command parking');

makeClientTypes();
bundleParking();
