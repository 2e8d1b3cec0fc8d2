// Bundles the command `parking` where `npx parking` finds it. `npm ci` does it, and so does every `npm start`.
import { bundleParking } from './parking.ts';

bundleParking();
