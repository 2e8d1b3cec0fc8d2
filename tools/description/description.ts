import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { makeDocument } from './document/openapi/document.ts';
import type { DescribedOperation } from './document/openapi/parts.ts';

/** The committed description of the service: regenerate it when you change its sources. */
export const DESCRIPTION = 'src/serving/openapi/openapi.json';

/** Makes the description as JSON, from the schemas that the service validates with. */
export async function makeDescription(): Promise<string> {
  const files: { DESCRIPTION: readonly DescribedOperation[] }[] = await Promise.all(
    globSync('tools/description/document/operations/*.ts')
      .sort()
      .map((path) => import(resolve(path))),
  );
  return JSON.stringify(makeDocument(files.flatMap((file) => file.DESCRIPTION)));
}
