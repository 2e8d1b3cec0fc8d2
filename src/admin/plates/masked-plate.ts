import { normalizePlate, type Plate } from '../../domain/plate.ts';

const MASK = '***';
const JSON_STRING = /"(?:[^"\\]|\\.)*"/g;

/**
 * A body without a plate: every JSON string that normalizes to it is masked. What is no JSON is searched for the
 * normalized plate besides.
 */
export function withoutPlate(text: string | null, plate: Plate): string | null {
  if (text === null) {
    return null;
  }
  const masked = text.replace(JSON_STRING, (json) => (says(json, plate) ? `"${MASK}"` : json));
  return isJson(text) ? masked : masked.replace(new RegExp(plate, 'giu'), MASK);
}

function says(json: string, plate: Plate): boolean {
  try {
    return normalizePlate(String(JSON.parse(json))) === plate;
  } catch {
    return false;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
