import { hmacHex } from '../../base/crypto/digest.ts';
import type { Instant } from '../../domain/instant.ts';
import { type Plate, spellsPlate } from '../../domain/plate.ts';
import { erasedDigest, erasedPseudonym, isKeyDigest, keyDigest } from '../plate-digest/erased-plate.ts';
import { isNamed, type Subject, type SubjectRow } from './subjects-statements.ts';
import { eraseFrom, forgetKeys, type HeldPlate, MAX_SUBJECTS, readSubjects } from './subjects-table.ts';

/** Identifies an erasure, without revealing its plate. */
export const erasureDigest = (key: string, tenant: string, plate: Plate): Promise<string> =>
  hmacHex(key, `erasure\0${tenant}\0${plate}`);

/** Adds the digests and the pseudonym that replace a plate. Keeps only texts that spell it. */
export const withDigestsOf = (subjects: readonly SubjectRow[], plate: Plate, key: string): Subject[] =>
  subjects.map((subject) => withDigestOf(subject, plate, key));

function withDigestOf(subject: SubjectRow, plate: Plate, key: string): Subject {
  const isDigest = isKeyDigest(subject.key);
  const name = isDigest ? subject.key : keyDigest(key, subject.key);
  const from = { ...subject, key: name };
  return {
    ...subject,
    digest: erasedDigest(key, from, plate),
    pseudonym: subject.kind === 'subscription' ? null : erasedPseudonym(key, from),
    keyDigest: name,
    newKey: isNamed(subject.kind) && !isDigest && spellsPlate(subject.key, plate) ? name : null,
    texts: subject.texts.filter((text) => spellsPlate(text, plate)),
  };
}

/**
 * Erases a plate from a municipality that is being restored.
 *
 * @param key makes the digests
 * @param digest the erasure's digest
 */
export async function eraseFromRestored(
  db: D1Database,
  held: HeldPlate,
  { key, digest }: { readonly key: string; readonly digest: string },
  now: Instant,
): Promise<void> {
  for (let isAll = false; !isAll; ) {
    const { subjects } = await readSubjects(db, held, digest);
    const withDigests = withDigestsOf(subjects, held.plate, key);
    await eraseFrom(db, withDigests, held, digest, now);
    isAll = subjects.length < MAX_SUBJECTS;
  }
  await forgetKeys(db, digest);
}
