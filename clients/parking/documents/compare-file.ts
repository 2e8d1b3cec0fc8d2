import { EXIT } from '../exit-codes.ts';
import { stopOf } from '../failure-advice.ts';
import type { Office } from '../office.ts';
import { Stop } from '../stop.ts';
import { compare, type Difference } from './diff.ts';
import { DocumentFile } from './document.ts';

/** A document in a file, and its changes. */
export interface ComparedFile {
  readonly file: DocumentFile;
  readonly difference: Difference;
}

/**
 * Reads a document and compares it with the service's configuration.
 *
 * @throws Stop with every issue at its line, for a document that the service would not take
 */
export async function compareFile(office: Office, name: string): Promise<ComparedFile> {
  const file = DocumentFile.read(name);
  const stored = await Promise.all(codesIn(file.value).map((code) => storedConfiguration(office, code)));
  const comparison = compare(
    file.value,
    stored.filter((one) => one !== null),
    office.language,
    // With both tokens the administrator's is used.
    (changer) => changer === 'office' || office.connection.adminToken !== undefined,
  );
  if (!comparison.valid) throw wrongDocument(file, file.locate(comparison.issues));
  return { file, difference: comparison.difference };
}

export const wrongDocument = (file: DocumentFile, lines: readonly string[], requestId?: string): Stop =>
  new Stop(
    EXIT.refused,
    {
      en: `${file.name} is not valid (${lines.length}). Nothing was changed.`,
      it: `${file.name} non è valido (${lines.length}). Nulla è stato cambiato.`,
    },
    { code: 'INVALID_REQUEST', lines, ...(requestId !== undefined && { requestId }) },
  );

/** Null: there is none. */
async function storedConfiguration(office: Office, code: string): Promise<unknown> {
  const found = await office.client.getConfiguration({ municipality_code: code }, office.call);
  if (found.ok) return found.answer.configuration;
  // A code of no valid form is among the document's own issues.
  if (found.code === 'NOT_FOUND' || found.code === 'INVALID_REQUEST') return null;
  throw stopOf(found);
}

/** The codes of a document, which may be invalid anywhere. */
function codesIn(document: unknown): string[] {
  const municipalities: unknown = property(document, 'municipalities');
  const codes = (Array.isArray(municipalities) ? municipalities : []).map((one) => property(one, 'code'));
  return [
    ...new Set(
      codes.flatMap((code) => (typeof code === 'string' && code.trim() !== '' ? [code.trim()] : [])),
    ),
  ];
}

const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
