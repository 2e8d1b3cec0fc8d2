// Makes the types of the clients and bundles the command `parking` where `npx parking` finds it. `npm ci` runs it.

import { bundleParking } from './parking.ts';
import { makeClientTypes } from './types.ts';

makeClientTypes();
bundleParking();
