/** How the columns of {@link csv} are called in an import. */
export const MAP = 'session_id=Codice,plate=Targa,area_code=Zona,starts_at=Inizio,ends_at=Fine';

/** The words that import a table of sessions. */
export const importing = (file: string, ...more: readonly string[]): string[] => [
  ...['import', 'sessions', file, '--source', 'app1', '--map', MAP],
  ...more,
];

interface Rows {
  readonly name: string;
  readonly count: number;
  /** Every which row names a street that is not there; 0: none. */
  readonly lost?: number;
}

/** A table of sessions, as an office exports it. */
export function csv({ name, count, lost = 0 }: Rows): string {
  const rows = Array.from({ length: count }, (_, index) => {
    const zone = lost > 0 && index % lost === 0 ? 'NOWHERE' : 'S1';
    return `${name}-${index};M${index};${zone};07/03/2026 10:${String(index % 60).padStart(2, '0')};07/03/2026 12:00`;
  });
  return `Codice;Targa;Zona;Inizio;Fine\r\n${rows.join('\r\n')}\r\n`;
}

/** What an import says in JSON that it has done. */
export const sumOf = ({ out }: { out: string }): Record<string, unknown> => JSON.parse(out);
