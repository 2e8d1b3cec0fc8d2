import type { Language, Text } from '../../../src/base/text/text.ts';
import type { Answer } from '../../client/index.ts';
import { groupDigits } from '../terminal/numbers.ts';
import { fieldLines } from '../terminal/table.ts';
import type { Paint } from '../terminal/terminal.ts';
import { shownTime } from '../time/shown-time.ts';
import { SOURCE_WORDS } from './status-words.ts';

type Status = Answer<'getStatus'>;

const WORDS = {
  version: { en: 'version', it: 'versione' },
  database: { en: 'database', it: 'base dati' },
  schema: { en: 'schema', it: 'schema' },
  away: { en: 'does not answer', it: 'non risponde' },
  sources: { en: 'sources', it: 'sorgenti' },
  onTime: { en: 'none is late', it: 'nessuna in ritardo' },
  last: { en: 'last import', it: 'ultima importazione' },
  never: { en: 'never', it: 'mai' },
  snapshots: { en: 'snapshots', it: 'istantanee' },
  since: { en: 'none older than', it: 'nessuna anteriore a' },
  unknown: { en: 'not known yet', it: 'non ancora noto' },
  retention: { en: 'retention', it: 'conservazione' },
  ran: { en: 'last run', it: 'ultima esecuzione' },
  notYet: { en: 'has not run yet', it: 'non ancora eseguita' },
  behind: { en: 'is behind', it: 'è in ritardo' },
  failing: { en: 'set wrong', it: 'impostati male' },
  nothing: { en: 'nothing', it: 'nulla' },
} as const satisfies Record<string, Text>;

const MIB = 2 ** 20;

/** The status of the service, one item a line; problems are coloured. */
export function serviceStatusLines(status: Status, language: Language, paint: Paint): string[] {
  const word = (name: keyof typeof WORDS): string => WORDS[name][language];
  const { version, database, late_sources, snapshots, retention, failing } = status;
  const { size_bytes: bytes, schema } = database;
  const ran =
    retention.last_run_at === null ? word('notYet') : `${word('ran')} ${shownTime(retention.last_run_at)}`;
  return fieldLines(
    [
      [word('version'), version],
      [
        word('database'),
        bytes === null
          ? paint('red', word('away'))
          : `${groupDigits(Math.ceil(bytes / MIB), language)} MiB, ${word('schema')} ${schema ?? '–'}`,
      ],
      ...(late_sources.length === 0 ? [[word('sources'), word('onTime')] as [string, string]] : []),
      ...late_sources.map((source, index): [string, string] => [
        index === 0 ? word('sources') : '',
        paint(
          'yellow',
          `${source.municipality_code} ${source.source_code}: ${SOURCE_WORDS[source.status][language]}, ${word('last')} ${source.last_successful_at === null ? word('never') : shownTime(source.last_successful_at)}`,
        ),
      ]),
      [
        word('snapshots'),
        snapshots.oldest_at === null ? word('unknown') : `${word('since')} ${shownTime(snapshots.oldest_at)}`,
      ],
      [word('retention'), retention.behind ? paint('yellow', `${word('behind')}; ${ran}`) : ran],
      [word('failing'), failing.length === 0 ? word('nothing') : paint('red', failing.join(', '))],
    ],
    paint.columns,
  );
}
