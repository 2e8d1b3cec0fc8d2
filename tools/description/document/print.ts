// Prints the description: what `npm run generate` keeps in openapi.json.
import { makeDocument } from '../../../src/openapi/document.ts';
import { OPERATIONS } from '../../../src/operations.ts';
import { readFeatures } from './features.ts';

console.log(JSON.stringify(makeDocument(OPERATIONS, await readFeatures()), null, 1));
