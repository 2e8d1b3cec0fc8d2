// Prints the description: what `npm run generate` keeps in openapi.json.
import { makeDocument } from './document.ts';

console.log(JSON.stringify(makeDocument(), null, 1));
