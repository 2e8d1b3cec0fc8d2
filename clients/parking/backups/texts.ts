import type { Text } from '../../../src/base/text/text.ts';
import { EXIT } from '../exit-codes.ts';
import { Stop, wrongUsage } from '../stop.ts';
import type { Counted } from '../terminal/numbers.ts';
import { type Damage, DamagedBackup } from './backup-file.ts';

export const PARTS: Counted = [
  { en: 'part', it: 'parte' },
  { en: 'parts', it: 'parti' },
];
export const ROWS: Counted = [
  { en: 'row', it: 'riga' },
  { en: 'rows', it: 'righe' },
];

const MIB = 1_024 * 1_024;
export const mib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

const DAMAGES: Record<Damage, (part: number) => Text> = {
  cut: (part) => ({ en: `it ends in the middle of part ${part}`, it: `finisce a metà della parte ${part}` }),
  changed: (part) => ({
    en: `part ${part} is not as it was written`,
    it: `la parte ${part} non è come è stata scritta`,
  }),
  no_backup: () => ({
    en: 'it is not a file of `parking backup`, or was packed again since',
    it: 'non è un file di `parking backup`, o è stato ricompresso',
  }),
  not_next: (part) => ({
    en: `part ${part} is missing, or in the wrong position`,
    it: `la parte ${part} manca o è fuori posto`,
  }),
  another: (part) => ({
    en: `part ${part} is of another backup`,
    it: `la parte ${part} è di un’altra copia`,
  }),
  unfinished: (part) => ({
    en: `its parts from ${part} on are missing`,
    it: `mancano le parti dalla ${part} in poi`,
  }),
};

/** The end of a command whose file is damaged. Any other error is returned unchanged. */
export function damagedStop(file: string, error: unknown): unknown {
  if (!(error instanceof DamagedBackup)) return error;
  const why = DAMAGES[error.damage](error.part);
  return wrongUsage(
    {
      en: `${file} is not a whole backup: ${why.en}.`,
      it: `${file} non è una copia completa: ${why.it}.`,
    },
    {
      advice: {
        en: 'Copy the file once more from where it is kept, or take another backup; one that was broken off is finished by running its `parking backup` again.',
        it: 'Copiare di nuovo il file da dove è conservato, o usare un’altra copia; una copia interrotta si completa ripetendo il suo `parking backup`.',
      },
    },
  );
}

export const cannotRead = (file: string): Stop =>
  wrongUsage({ en: `${file} cannot be read.`, it: `${file} non è leggibile.` });

export const cannotWrite = (file: string, why: unknown): Stop => {
  const reason = why instanceof Error ? why.message : String(why);
  return new Stop(EXIT.refused, {
    en: `${file} cannot be written: ${reason}. Its parts so far are kept: make room, and run the same command again.`,
    it: `${file} non è scrivibile: ${reason}. Ciò che contiene già resta: fare spazio e ripetere lo stesso comando.`,
  });
};
