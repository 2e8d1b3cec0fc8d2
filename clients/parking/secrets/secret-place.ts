import { closeSync, fsyncSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { EXIT } from '../exit-codes.ts';
import type { Office } from '../office.ts';
import { shellWord } from '../shell-word.ts';
import { Stop, wrongUsage } from '../stop.ts';

const OWNER_ONLY = 0o600;
/** More than a pair of secrets and a credential's fields take. */
const ROOM_BYTES = 16_384;

/**
 * The destination of secrets that are shown once. It is opened before they are made: otherwise they could be
 * lost, and a rotation that loses its new pair locks a fleet out.
 */
export interface SecretPlace {
  /** Puts them there. */
  keep(credentialId: string, secrets: object): void;
  /** Nothing was made. */
  abandon(): void;
  /** Null: the terminal. */
  readonly file: string | null;
}

/**
 * @param file null: the terminal
 * @throws Stop when there is neither a file nor a terminal, or the file cannot be made: then no secret is
 * issued
 */
export function secretPlace(office: Office, file: string | undefined): SecretPlace {
  if (file !== undefined) return fileFor(file);
  if (!office.terminal.isSeen) throw nowhere();
  return { file: null, keep: () => {}, abandon: () => {} };
}

/** A new file for its owner alone, with room for what will be written. */
function fileFor(file: string): SecretPlace {
  const handle = createFile(file);
  const abandon = (): void => {
    closeSync(handle);
    rmSync(file, { force: true });
  };
  try {
    writeSync(handle, ' '.repeat(ROOM_BYTES), 0);
    fsyncSync(handle);
  } catch {
    abandon();
    throw notWritable(file);
  }
  return {
    file,
    abandon,
    keep: (credentialId, secrets) => {
      try {
        const text = Buffer.from(`${JSON.stringify(secrets, null, 2)}\n`);
        writeSync(handle, text, 0, text.length, 0);
        ftruncateSync(handle, text.length);
        fsyncSync(handle);
        closeSync(handle);
      } catch {
        throw lostSecret(credentialId, file);
      }
    },
  };
}

function createFile(file: string): number {
  try {
    return openSync(file, 'wx', OWNER_ONLY);
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw exists ? alreadyThere(file) : notWritable(file);
  }
}

const nowhere = (): Stop =>
  wrongUsage(
    {
      en: 'The secrets are shown once, and here they would be lost: nothing was issued.',
      it: 'I segreti vengono mostrati una volta sola e nessuno li vedrebbe: nulla è stato emesso.',
    },
    {
      advice: {
        en: 'Say --out FILE: they are written there, for you alone. Or run it in a terminal.',
        it: 'Indicare --out FILE: vi vengono scritti, solo per te. Oppure eseguirlo in un terminale.',
      },
    },
  );

const alreadyThere = (file: string): Stop =>
  wrongUsage({
    en: `${file} is there already, and is not overwritten: nothing was issued.`,
    it: `${file} esiste già e non viene sovrascritto: nulla è stato emesso.`,
  });

const notWritable = (file: string): Stop =>
  wrongUsage({
    en: `${file} cannot be written: nothing was issued.`,
    it: `${file} non è scrivibile: nulla è stato emesso.`,
  });

const lostSecret = (credentialId: string, file: string): Stop =>
  new Stop(EXIT.refused, {
    en: `The secrets were issued, but could not be written to ${file}. Rotate the credential: parking credential rotate ${shellWord(credentialId)} --out ANOTHER-FILE`,
    it: `I segreti sono stati emessi, ma non è stato possibile scriverli in ${file}. Ruotare la credenziale: parking credential rotate ${shellWord(credentialId)} --out ALTRO-FILE`,
  });
