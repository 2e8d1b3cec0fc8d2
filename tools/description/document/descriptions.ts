import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DescribedOperation } from '../../../src/openapi/parts.ts';

/** What the folders say of their operations: the export `DESCRIPTION` of every `description.ts` below `src`. */
export async function readDescriptions(): Promise<readonly DescribedOperation[]> {
  const modules: { DESCRIPTION: readonly DescribedOperation[] }[] = await Promise.all(
    globSync('src/**/description.ts').map((path) => import(resolve(path))),
  );
  return modules.flatMap(({ DESCRIPTION }) => DESCRIPTION);
}
