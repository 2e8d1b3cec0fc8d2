import { describe, expect, it } from 'vitest';
import { plateHashOf } from '../../clients/client/gate/plate-hash.ts';
import { storedPlate } from '../../src/domain/plate.ts';

describe('A plate in a list', () => {
  it('is written as the interface says', async () => {
    const hash = await plateHashOf('parkat_example');
    expect(hash.keyId).toBe('dc6c7e1c');
    expect(await hash.of(storedPlate('AB123CD'))).toBe('992UJiY6g8LKHa3H');
  });

  it('is another one for every token', async () => {
    const hash = await plateHashOf('parkat_examples');
    expect(hash.keyId).not.toBe('dc6c7e1c');
    expect(await hash.of(storedPlate('AB123CD'))).not.toBe('992UJiY6g8LKHa3H');
  });

  it('may have letters of any script', async () => {
    const hash = await plateHashOf('parkat_example');
    expect(await hash.of(storedPlate('京A1'))).toMatch(/^[\w-]{16}$/);
  });
});
