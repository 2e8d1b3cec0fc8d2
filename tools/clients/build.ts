// Builds and packs the packages of the clients: `dist/<name>/` and `dist/<name>-<version>.tgz`.
import { buildClient } from './package.ts';

const { tarball, kib } = buildClient();
console.log(`${tarball}: ${kib} KiB`);
