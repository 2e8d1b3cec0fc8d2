/** What a usage line puts in the place of a value, in Italian. */
const ITALIAN: Readonly<Record<string, string>> = {
  address: 'indirizzo',
  'calls/time': 'chiamate/tempo',
  character: 'carattere',
  code: 'codice',
  codes: 'codici',
  command: 'comando',
  day: 'giorno',
  days: 'giorni',
  duration: 'durata',
  event: 'evento',
  file: 'file',
  format: 'formato',
  hint: 'regione',
  id: 'id',
  instant: 'istante',
  meaning: 'significato',
  municipality: 'comune',
  name: 'nome',
  number: 'numero',
  options: 'opzioni',
  order: 'ordine',
  outcome: 'esito',
  pairs: 'coppie',
  payment: 'pagamento',
  plate: 'targa',
  plates: 'targhe',
  reference: 'riferimento',
  'request-id': 'id-richiesta',
  scopes: 'ambiti',
  session: 'sosta',
  state: 'stato',
  text: 'testo',
  time: 'orario',
  type: 'tipo',
  url: 'indirizzo',
};

/** A usage line with Italian words for its values: `show [opzioni] <numero>`. */
export function inItalianWords(usage: string): string {
  let text = usage;
  for (const [english, italian] of Object.entries(ITALIAN)) {
    for (const end of ['>', ']', '...>', '...]']) {
      const open = end.endsWith('>') ? '<' : '[';
      text = text.replaceAll(open + english + end, open + italian + end);
    }
  }
  return text;
}

/** An argument's name in Italian. */
export const italianName = (name: string): string => ITALIAN[name] ?? name;
