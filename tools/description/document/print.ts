// Prints the description, which `npm run generate` stores in openapi.json.

import { loadAll } from '../../../src/operations.ts';
import { print } from '../../print.ts';
import { withSamples } from './code-samples.ts';
import { readDescriptions } from './descriptions.ts';
import { makeDocument } from './openapi/document.ts';

const descriptions = await readDescriptions();
const document = makeDocument(await loadAll(), descriptions);
print(JSON.stringify(withSamples(document, descriptions), null, 1));
