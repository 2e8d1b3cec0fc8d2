import type { Text } from '../../../src/base/text/text.ts';
import { normalizePlate } from '../../../src/domain/plate.ts';
import { sessionLine, subscriptionLine } from '../../../src/intake/imports/contract.ts';
import { LINE_TEXTS } from '../../../src/intake/imports/rejection.ts';
import { issuesOf } from '../../../src/serving/http/validation.ts';
import type { KindName } from '../../tables/index.ts';
import type { KnownCodes, Trouble } from './kinds.ts';

/** One thing that is wrong with a line: where (`plates.0.plate`), and what. */
export interface Fault {
  readonly path: string;
  readonly message: Text;
}

/** The most faults that are named for one line. */
const MAX_FAULTS = 20;

/**
 * Everything that is wrong with a line, by the service's own schemas and rules. The service itself stops at the first rule
 * that a line breaks.
 */
export function faultsOf(kind: KindName, line: object, { areas, types }: KnownCodes): Fault[] {
  const parsed = (kind === 'sessions' ? sessionLine : subscriptionLine).safeParse(line);
  const shape = parsed.success ? [] : issuesOf(parsed.error.issues.slice(0, MAX_FAULTS));
  const said = new Set(shape.map(({ path }) => path));
  const found = Object.entries(line).flatMap(([name, value]): Fault[] => {
    if (name === 'plate') return fault(isPlate(value), name, LINE_TEXTS.INVALID_PLATE);
    if (name === 'area_code') return fault(isKnown(value, areas), name, LINE_TEXTS.AREA_NOT_FOUND);
    if (name === 'type') return fault(isKnown(value, types), name, LINE_TEXTS.SUBSCRIPTION_TYPE_NOT_FOUND);
    if (!Array.isArray(value)) return [];
    const items: readonly unknown[] = value;
    if (name === 'plates') {
      return items.flatMap((item, index) =>
        fault(isPlate(plateIn(item)), `plates.${index}.plate`, LINE_TEXTS.INVALID_PLATE),
      );
    }
    if (name !== 'areas') return [];
    return items.flatMap((item, index) =>
      fault(isKnown(item, areas), `areas.${index}`, LINE_TEXTS.AREA_NOT_FOUND),
    );
  });
  return [...shape, ...found.filter(({ path }) => !said.has(path))].slice(0, MAX_FAULTS);
}

const fault = (isGood: boolean, path: string, message: Text): Fault[] => (isGood ? [] : [{ path, message }]);

/** The schema refuses values that are not texts. */
const isPlate = (value: unknown): boolean => typeof value !== 'string' || normalizePlate(value) !== null;
const isKnown = (value: unknown, codes: ReadonlySet<string> | null): boolean =>
  codes === null || typeof value !== 'string' || codes.has(value.trim());

const plateIn = (item: unknown): unknown =>
  typeof item === 'object' && item !== null ? Reflect.get(item, 'plate') : undefined;

/**
 * The faults of a rejection that names properties: `type: …; area_code: …`. The service names them alike in both
 * languages.
 */
export function pathedIn({ message: { en, it } }: Trouble): Fault[] {
  const italian = it.split('; ');
  return en.split('; ').flatMap((part, index) => {
    const [, path, english] = /^([a-z_]+(?:\.\w+)*): (.*)$/s.exec(part) ?? [];
    if (path === undefined || english === undefined) return [];
    const own = italian[index] ?? part;
    return [
      { path, message: { en: english, it: own.startsWith(`${path}: `) ? own.slice(path.length + 2) : own } },
    ];
  });
}

/** Faults of paths that the others do not name. */
export const notAmong = (faults: readonly Fault[], said: readonly Fault[]): readonly Fault[] =>
  said.filter((fault) => !faults.some(({ path }) => path === fault.path));

/** The text or number at a path of a line; undefined: there is none. */
export function itemIn(line: object, path: string): string | undefined {
  const item = path
    .split('.')
    .reduce<unknown>(
      (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
      line,
    );
  return typeof item === 'string' || typeof item === 'number' ? String(item) : undefined;
}
