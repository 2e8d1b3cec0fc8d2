import { stringify } from 'yaml';

/** YAML as people edit it: no line is folded. */
export const yamlText = (value: unknown): string => stringify(value, { lineWidth: 0 }).trimEnd();
