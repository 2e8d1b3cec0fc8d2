import { normalizePlate, type Plate, spellsPlate } from '../../domain/plate.ts';

/** What the service itself writes into an answer: ids of calls, and instants. */
const OURS =
  /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d))$/;

/** Whether a request names a plate: a string of it spells the plate, or a number is it. What is no JSON counts as one string. */
export const requestMentions = (text: string, plate: Plate): boolean =>
  valuesOf(text).some((value) =>
    typeof value === 'number' ? normalizePlate(String(value)) === plate : spells(value, plate),
  );

/** Whether an answer names a plate. Its numbers are counts and amounts. */
export const answerMentions = (text: string, plate: Plate): boolean =>
  valuesOf(text).some((value) => typeof value === 'string' && spells(value, plate));

const spells = (text: string, plate: Plate): boolean => !OURS.test(text) && spellsPlate(text, plate);

/** The strings and numbers of a JSON text. */
function valuesOf(text: string): (string | number)[] {
  const values: (string | number)[] = [];
  try {
    JSON.parse(text, (_, value: unknown) => {
      if (typeof value === 'string' || typeof value === 'number') values.push(value);
      return value;
    });
    return values;
  } catch {
    return [text];
  }
}
