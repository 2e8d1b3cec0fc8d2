// Prints the description: what `npm run generate` keeps in openapi.json.
import { makeDocument } from '../../../src/openapi/document.ts';
import { OPERATIONS } from '../../../src/operations.ts';
import { readDescriptions } from './descriptions.ts';

console.log(JSON.stringify(makeDocument(OPERATIONS, await readDescriptions()), null, 1));
