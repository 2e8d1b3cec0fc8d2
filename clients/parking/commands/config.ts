import type { Answer, Input } from '../../client/index.ts';
import { confirm } from '../ask.ts';
import { type AnyCommand, commandOf, given, yesOption } from '../command.ts';
import { stopOf } from '../failure.ts';
import type { Office } from '../office.ts';
import { EXIT, Stop } from '../stop.ts';

type Changed = Answer<'putConfiguration'>;
type Document = Input<'putConfiguration'>;

const FILE = 'YAML or JSON; - is standard input';

export const configCommands = (office: Office): readonly AnyCommand[] => [
  commandOf('get', 'Print a municipality’s configuration as YAML, ready to be changed and put again.', [
    'parking config get H501 > roma.yaml',
    'parking config get H501 --json > roma.json',
  ])
    .argument('[municipality]', 'its code (default: the profile’s)')
    .action(async (code) => {
      const municipality_code = office.requireMunicipality(code);
      const { configuration, version } = await office.answer(
        office.client.getConfiguration({ municipality_code }, office.call),
      );
      const { versionLine, yamlText } = await import('../document.ts');
      if (office.json) {
        office.terminal.json(configuration);
        return;
      }
      office.terminal.data(versionLine(version));
      office.terminal.text(yamlText(configuration));
    }),

  commandOf(
    'diff',
    'Show what a document would change: new items, and old and new values. Nothing is stored.',
    ['parking config diff roma.yaml'],
  )
    .argument('<file>', FILE)
    .action(async (file) => {
      const { changed } = await sent(office, file, { isDry: true });
      if (office.json) office.terminal.json(changed);
      else tellChanges(office, changed, 'stdout');
    }),

  commandOf('put', 'Put a document, after showing what it changes and asking.', [
    'parking config put roma.yaml',
    'parking config put roma.yaml --yes --json',
  ])
    .argument('<file>', FILE)
    .addOption(yesOption())
    .action(async (file, { yes }) => {
      // Never ask about a change that was not shown.
      const dry = await sent(office, file, { isDry: true });
      if (!office.json || !yes) tellChanges(office, dry.changed, 'stderr');
      await confirm(office, yes || dry.changed.changes.length === 0, 'Put this document?', null);
      const { changed } = await sent(office, file, { isDry: false, document: dry.document });
      if (office.json) office.terminal.json(changed);
      else office.terminal.data(`Done: ${sumOf(changed)}.`);
    }),
];

/**
 * Sends a document. One that was printed is refused where the configuration has changed since: it would undo that change.
 *
 * @param document absent: as the file has it
 * @throws Stop with every issue at its line, for a document that the service does not take
 */
async function sent(
  office: Office,
  name: string,
  { isDry, document: known }: { readonly isDry: boolean; readonly document?: DocumentFileOf },
): Promise<{ readonly changed: Changed; readonly document: DocumentFileOf }> {
  const { DocumentFile } = await import('../document.ts');
  const document = known ?? new DocumentFile(name);
  // The service judges the document: anything may be in the file.
  const input = { ...(document.value as Document), ...given({ version: document.version }) };
  const result = await office.client.putConfiguration(
    { ...input, ...(isDry && { dry_run: 'true' }) },
    isDry ? office.call : {},
  );
  if (result.ok) return { changed: result.answer, document };
  if (result.issues === undefined) throw stopOf(result);
  const { details } = stopOf(result);
  throw new Stop(EXIT.refused, `${name} is not valid (${result.issues.length}). Nothing was changed.`, {
    ...details,
    lines: document.locate(result.issues),
  });
}

type DocumentFileOf = InstanceType<typeof import('../document.ts').DocumentFile>;

const sumOf = ({ created, updated, unchanged }: Changed): string =>
  `${created} created, ${updated} updated, ${unchanged} unchanged`;

/** The service's changes as a table, and their sum. */
function tellChanges({ terminal }: Office, changed: Changed, stream: 'stdout' | 'stderr'): void {
  const rows = changed.changes.map(({ property, ...change }) => ({ property: property ?? 'new', ...change }));
  if (rows.length > 0) terminal.table(rows, ['path', 'property', 'from', 'to'], stream);
  terminal.text(sumOf(changed), stream);
}
