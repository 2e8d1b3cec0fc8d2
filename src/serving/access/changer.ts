import type { Text } from '../../base/text/text.ts';

/** Who may change a field: the administrator and every office, or the administrator alone. */
type Changer = 'office' | 'administrator';

/** Whether fields that are this changer's may be changed. */
export type MayChange = (changer: Changer) => boolean;

/** For the issue of a field that only the administrator may change. */
export const ADMINISTRATORS_ALONE: Text = {
  en: 'only the administrator may change this',
  it: "solo l'amministratore può modificarlo",
};
