import { globSync } from 'node:fs';

/** The files whose messages a clerk may read. */
export const sourceFiles = (): string[] =>
  [...globSync('src/**/*.ts'), ...globSync('clients/parking/**/*.ts')].filter(
    (file) => !file.includes('/dist/'),
  );
