// Writes the generated files: the description of the service, and the types of a client made from it.
import { writeFileSync } from 'node:fs';
import { makeContract } from './contract.ts';

for (const { path, text } of makeContract()) {
  writeFileSync(path, text);
}
