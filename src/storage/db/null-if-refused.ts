import { isRefusedWrite } from './writable.ts';

/** @returns null if the transaction was rolled back because its municipality is not writable here */
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
