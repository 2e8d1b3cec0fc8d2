import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { listLine } from '../../src/field/entitlement-list/contract.ts';
import { loadAll } from '../../src/operations.ts';
import { backupLine } from '../../src/upkeep/transfer/contract.ts';
import { Page } from './page-tables.ts';

const PAGE = new Page('versioning');

/** The `api_version` of an answer's schema, if it has one. */
function versionOf(answer: unknown): string | null {
  const version = answer instanceof z.ZodObject ? answer.shape.api_version : undefined;
  return version instanceof z.ZodLiteral ? String(version.value) : null;
}

describe('docs/versioning.md says truly', () => {
  it('the version of every operation that has one of its own', async () => {
    const versions = (await loadAll()).flatMap(({ path, answer }) => {
      const version = versionOf(answer);
      return version === null ? [] : [[path.replaceAll(/:(\w+)/g, '{$1}'), version] as const];
    });
    const said = PAGE.rows('operation', 'path', 'api_version').flatMap((row) =>
      row.path.split(', ').map((path) => [path, row.api_version] as const),
    );
    expect(versions.length).toBeGreaterThan(0);
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(versions));
  });

  it('the formats of the list and of a backup', () => {
    const where = PAGE.rows('number', 'where', 'changes when', 'who looks at it').map((row) => row.where);
    const [list] = listLine.options;
    expect(where).toContain(`version in the header of an entitlement list; now ${list.shape.version.value}`);
    expect(where).toContain(`format in the header of a backup; now ${backupLine.shape.format.value}`);
  });
});
