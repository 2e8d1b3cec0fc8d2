// Builds and packs the packages of the clients: `dist/<name>/` and `dist/<name>-<version>.tgz`.
import { takeNoArguments } from '../command-line.ts';
import { print } from '../print.ts';
import { buildClient } from './package.ts';
import { buildParking } from './parking.ts';

takeNoArguments('npm run build:clients: builds and packs the typed client and the command, into dist/');

print(`${buildClient()}\n${buildParking()}`);
