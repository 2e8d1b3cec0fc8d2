import { describe, expect, it } from 'vitest';
import { ADMIN_OPERATIONS } from '../suites/operations.ts';
import { describeAdministration } from './describe-administration.ts';

const KIB = 1024;

describeAdministration();

describe('A body of the administrator’s', () => {
  it.each(ADMIN_OPERATIONS.filter(({ takesBody }) => takesBody))(
    'for $method $path has at most 64 KiB, and the configuration one MiB',
    ({ path, maxBytes }) => {
      expect(maxBytes).toBe(path.includes('configuration') ? KIB * KIB : 64 * KIB);
    },
  );
});
