// Builds and packs the packages of the clients: `dist/<name>/` and `dist/<name>-<version>.tgz`.
import { print } from '../print.ts';
import { buildClient } from './package.ts';
import { buildParking } from './parking.ts';

for (const { tarball, kib } of [buildClient(), buildParking()]) {
  print(`${tarball}: ${kib} KiB`);
}
