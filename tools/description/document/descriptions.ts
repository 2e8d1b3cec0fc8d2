import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DescribedOperation } from './openapi/parts.ts';

/** The words about the operations: the export `DESCRIPTION` of each file in `operations`. */
export async function readDescriptions(): Promise<readonly DescribedOperation[]> {
  const modules: { DESCRIPTION: readonly DescribedOperation[] }[] = await Promise.all(
    globSync('tools/description/document/operations/*.ts').map((path) => import(resolve(path))),
  );
  return modules.flatMap(({ DESCRIPTION }) => DESCRIPTION);
}
