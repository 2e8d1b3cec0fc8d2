// Prints the description, which `npm run generate` stores in openapi.json.

import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { CONTRACTS } from '../../../src/contracts.ts';
import { print } from '../../print.ts';
import { makeDocument } from './openapi/document.ts';
import type { DescribedOperation } from './openapi/parts.ts';

const files: { DESCRIPTION: readonly DescribedOperation[] }[] = await Promise.all(
  globSync('tools/description/document/operations/*.ts').map((path) => import(resolve(path))),
);
const words = files.flatMap(({ DESCRIPTION }) => DESCRIPTION);
print(JSON.stringify(makeDocument(CONTRACTS, words)));
