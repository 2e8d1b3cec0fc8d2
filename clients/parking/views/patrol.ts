import type { Language, Text } from '../../../src/base/text/text.ts';
import type { PatrolItem } from '../patrol/ask.ts';
import type { Sighting } from '../patrol/read-sightings.ts';
import { tableLines } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import type { Paint } from './check.ts';

type Judged = Exclude<PatrolItem, { refused: unknown }>;
type Doubt = Judged['doubts'][number];

export const FINDINGS: Record<Judged['finding'], { readonly style: Style; readonly text: Text }> = {
  entitled: { style: 'green', text: { en: 'entitled', it: 'in regola' } },
  tolerated: { style: 'green', text: { en: 'tolerated', it: 'tollerata' } },
  not_due: { style: 'green', text: { en: 'nothing due', it: 'nulla da pagare' } },
  look_again: { style: 'yellow', text: { en: 'look again', it: 'ricontrollare' } },
  officer_decides: { style: 'yellow', text: { en: 'the officer decides', it: 'decide l’agente' } },
  no_entitlement: { style: 'red', text: { en: 'no entitlement', it: 'nessun titolo' } },
};

const WORDS = {
  line: { en: 'line', it: 'riga' },
  plate: { en: 'plate', it: 'targa' },
  area: { en: 'area', it: 'area' },
  finding: { en: 'finding', it: 'esito' },
  again: { en: 'ask again', it: 'richiedere' },
  why: { en: 'why', it: 'perché' },
  unverified: { en: 'not verified', it: 'non verificata' },
} as const satisfies Record<string, Text>;

/** Findings for people, one line per sighting. */
export function patrolLines(
  found: readonly { readonly sighting: Sighting; readonly item: PatrolItem }[],
  language: Language,
  paint: Paint,
): string[] {
  const word = (name: keyof typeof WORDS): string => WORDS[name][language];
  const titles = [
    { title: word('line'), align: 'right' as const },
    ...(['plate', 'area', 'finding', 'again', 'why'] as const).map((name) => ({ title: word(name) })),
  ];
  const rows = found.map(({ sighting, item }) => {
    if ('refused' in item) {
      const { code, message } = item.refused;
      const where = [sighting.id, sighting.plate, sighting.area_code];
      return [...where, paint('yellow', word('unverified')), '', `${message} (${code})`];
    }
    // A newer finding than this command knows is shown unchanged.
    const { style, text } = FINDINGS[item.finding] ?? {
      style: 'yellow',
      text: { en: item.finding, it: item.finding },
    };
    return [
      ...[sighting.id, item.plate, item.area.code],
      paint(style, text[language]),
      item.look_again_at === null ? '' : item.look_again_at.slice(11, 19),
      item.doubts.map((doubt) => doubtText(doubt, language)).join('; '),
    ];
  });
  return tableLines(titles, rows, paint);
}

function doubtText({ code, message, source_code: source, area }: Doubt, language: Language): string {
  switch (code) {
    case 'MAY_BE_PAYING':
      return { en: 'may be paying', it: 'forse sta pagando' }[language];
    case 'SOURCE_LATE':
      return `${source ?? ''} ${{ en: 'may not have reported', it: 'forse non ha ancora trasmesso' }[language]}`;
    case 'LINE_REJECTED':
      return { en: 'a payment may have been rejected', it: 'forse un pagamento è stato rifiutato' }[language];
    case 'PAYMENT_UNSETTLED':
      return { en: 'a payment waits for the office', it: 'un pagamento attende l’ufficio' }[language];
    case 'SUBSCRIPTION_MAY_BE_RENEWED':
      return { en: 'subscription may be renewed', it: 'abbonamento forse rinnovato' }[language];
    case 'SIMILAR_PLATE_ENTITLED':
      return { en: 'a similar plate is entitled', it: 'una targa simile è in regola' }[language];
    case 'VALID_IN_OTHER_AREA':
      return `${{ en: 'valid in', it: 'valida in' }[language]} ${area?.name ?? ''} (${area?.code ?? ''})`;
    default:
      return message;
  }
}
