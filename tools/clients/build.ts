// Builds and packs the packages of the clients: `dist/<name>/` and `dist/<name>-<version>.tgz`.
import { buildClient } from './package.ts';
import { buildParking } from './parking.ts';

for (const { tarball, kib } of [buildClient(), buildParking()]) {
  console.log(`${tarball}: ${kib} KiB`);
}
