import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FeatureDescription } from '../../../src/openapi/parts.ts';

/** What each folder says of its operations: the export `DESCRIPTION` of every `description.ts` below `src`. */
export async function readFeatures(): Promise<readonly FeatureDescription[]> {
  const paths = globSync('src/**/description.ts').sort();
  return Promise.all(
    paths.map(async (path) => {
      const module: { DESCRIPTION: FeatureDescription } = await import(resolve(path));
      return module.DESCRIPTION;
    }),
  );
}
