import { type Language, type Text, withSteeringShown } from '../../../src/base/text/text.ts';
import { shownTime } from '../time/shown-time.ts';
import { changeWords, checkWords, comparisonOf, type Evidence, wordIn } from './evidence.ts';
import { evidenceWord } from './evidence-words.ts';
import { outcomeText } from './reason-words.ts';
import { statusText } from './status-words.ts';

const WORDS = {
  title: { en: 'Evidence for an objection', it: 'Documentazione per un ricorso' },
  made: { en: 'Drawn up', it: 'Redatto il' },
  request: { en: 'Request', it: 'Richiesta' },
  recorded: { en: 'recorded', it: 'registrato' },
  change: { en: 'change', it: 'modifica' },
  stood: { en: 'how it then stood', it: 'come risultava' },
  known: { en: 'known then', it: 'noto allora' },
  yes: { en: 'yes', it: 'sì' },
  no: { en: 'no', it: 'no' },
  source: { en: 'source', it: 'sorgente' },
  status: { en: 'status', it: 'stato' },
  last: { en: 'last heard of', it: 'ultimo invio' },
  at: { en: 'at', it: 'istante' },
  check: { en: 'check', it: 'verifica' },
  outcome: { en: 'outcome', it: 'esito' },
  none: { en: 'none', it: 'nessuna' },
} as const satisfies Record<string, Text>;

const STYLE = `@page { size: A4; margin: 18mm 16mm; @bottom-right { content: counter(page) '/' counter(pages); font: 9pt system-ui, sans-serif; color: #444 } }
body { font: 10.5pt/1.4 system-ui, sans-serif; color: #111; background: #fff; max-width: 178mm; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5em } h2 { font-size: 1.15em; margin: 1.6em 0 .4em; break-after: avoid } h2 + p { break-after: avoid }
h2::first-letter, th::first-letter, p::first-letter { text-transform: uppercase }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .25em .5em; border-bottom: 1px solid #bbb }
tr { break-inside: avoid } thead { display: table-header-group } tr.differs td { font-weight: 700 } .verdict { border: 1.5px solid #111; padding: .5em .8em; font-weight: 700 }
@media (max-width: 600px) { th, td { overflow-wrap: anywhere } }
small { color: #444 } @media print { body { margin: 0; padding: 0; max-width: none } }`;

/** The evidence as a page for the case file, ready to be printed on A4. It loads no other files. */
export function evidencePage(evidence: Evidence, language: Language): string {
  const own = (name: keyof typeof WORDS): string => WORDS[name][language];
  const word = wordIn(language);
  const { municipality, area, history, sources, checks } = evidence;
  const place = [municipality, ...(area ? [area] : [])].map(({ code, name }) => `${name} (${code})`);
  const changes = history.map((change) => {
    const { name, delay, said } = changeWords(change, language);
    const title = delay === '' ? name : `${name} (${delay})`;
    return [shownTime(change.recorded_at), own(change.known_then ? 'yes' : 'no'), title, said];
  });
  const heard = sources.map(({ code, name, status, last_successful_at: last }) => [
    `${name} (${code})`,
    statusText('source', status)[language],
    last === null ? '–' : shownTime(last),
  ]);
  const asked = checks.map((check) => [
    shownTime(check.at),
    checkWords(check, language),
    outcomeText(check.outcome, language),
    check.request_id,
  ]);
  const head = [
    [word('plate'), evidence.plate],
    [word('place'), place.join(', ')],
    [word('at'), `${shownTime(evidence.at)} (${evidenceWord(evidence.event, language)})`],
    [word('knownAt'), shownTime(evidence.known_at)],
    [own('made'), shownTime(evidence.generated_at)],
    [own('request'), evidence.request_id],
  ];
  const compared = comparisonOf(evidence, language)
    .map(
      ({ name, before, now, differs }) =>
        `<tr${differs ? ' class="differs"' : ''}><td>${differs ? '≠' : ''}</td>${cells([name, before, now])}</tr>`,
    )
    .join('\n');
  const verdict = evidence.differs ? `≠ ${word('differs')}` : `= ${word('same')}`;
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(`${own('title')}: ${evidence.plate}, ${shownTime(evidence.at)}`)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(own('title'))}</h1>
<table><tbody>
${head.map(([name = '', value = '']) => `<tr><th scope="row">${escaped(name)}</th>${cells([value])}</tr>`).join('\n')}
</tbody></table>
<h2>${escaped(`${word('before')} – ${word('now')}`)}</h2>
<p class="verdict">${escaped(verdict)}</p>
<table><thead><tr><td></td><td></td>${titles([word('before'), word('now')])}</tr></thead><tbody>
${compared}
</tbody></table>
${section(`${word('history')} (${evidence.history_count})`, [own('recorded'), own('known'), own('change'), own('stood')], changes, word('nothing'))}
${section(word('sources'), [own('source'), own('status'), own('last')], heard, own('none'))}
${section(`${word('checks')} (${evidence.checks_count})`, [own('at'), own('check'), own('outcome'), own('request')], asked, own('none'), `${word('since')} ${shownTime(evidence.checks_since)}`)}
</main>
</body>
</html>
`;
}

function section(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  empty: string,
  remark = '',
): string {
  const body = rows.map((row) => `<tr>${cells(row)}</tr>`).join('\n');
  const table = `<table><thead><tr>${titles(columns)}</tr></thead><tbody>\n${body}\n</tbody></table>`;
  const note = remark === '' ? '' : `<p><small>${escaped(remark)}</small></p>\n`;
  return `<h2>${escaped(title)}</h2>\n${note}${rows.length === 0 ? `<p>${escaped(empty)}</p>` : table}`;
}

const titles = (texts: readonly string[]): string =>
  texts.map((text) => `<th scope="col">${escaped(text)}</th>`).join('');
/** A long code may be broken after each of its words, so that the table fits A4; a time within a text may not. */
const cells = (texts: readonly string[]): string =>
  texts
    .map((text) => escaped(text).replaceAll('_', '_<wbr>').replace(TIME_WITHIN, '\u00a0'))
    .map((text) => `<td>${text}</td>`)
    .join('');
const TIME_WITHIN = /(?<=. \d\d\/\d\d\/\d{4}) (?=\d\d:\d\d)/g;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string =>
  withSteeringShown(text).replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
