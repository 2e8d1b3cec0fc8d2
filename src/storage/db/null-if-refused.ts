import { isRefusedWrite } from './writable.ts';

/** @returns null where a transaction was undone because its municipality may not be written here now */
export async function nullIfRefused<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (isRefusedWrite(error)) {
      return null;
    }
    throw error;
  }
}
