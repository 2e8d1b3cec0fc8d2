import { setTimeout as wait } from 'node:timers/promises';
import type { Answer, Failure, Input, Result } from '../../client/index.ts';
import { type AnyCommand, commandOf, municipalityOption, Option } from '../command.ts';
import { exitOf, stopOf } from '../failure.ts';
import type { Office } from '../office.ts';
import { shownTime } from '../print.ts';
import { EXIT } from '../stop.ts';

type Report = Answer<'reportActiveByArea'>;

/** After a failure: sooner than a whole minute, later than at once. */
const AGAIN_AFTER_FAILURE_SECONDS = 10;

export const reportCommand = (office: Office): AnyCommand =>
  commandOf('report', 'Show how full streets and car parks are: now, in 30 and in 60 minutes.', [
    'parking report --watch',
    'parking report --type street --municipality H501',
  ])
    .addOption(municipalityOption())
    .addOption(
      new Option('-t, --type <type>', 'streets or car parks')
        .choices(['street', 'facility'] as const)
        .default('facility' as const),
    )
    .option('-w, --watch', 'stay, and follow what changes', false)
    .action(async ({ municipality, type, watch }) => {
      const input = { ...office.municipality(municipality), area_type: type };
      if (watch) await watchReport(office, input);
      else tellReport(office, await office.answer(office.client.reportActiveByArea(input, office.call)));
    });

/**
 * Follows the report until Ctrl-C: in place in a terminal, else one after the other. While the service is
 * away, the last report stays. A refusal ends it.
 */
async function watchReport(office: Office, input: Input<'reportActiveByArea'>): Promise<void> {
  const { signal, terminal, json } = office;
  let hasReport = false;
  while (!signal.aborted) {
    const result: Result<Report> = await office.client.reportActiveByArea(input, office.call);
    if (signal.aborted) return;
    if (!result.ok && (!hasReport || exitOf(result) !== EXIT.unavailable)) throw stopOf(result);
    if (result.ok) {
      hasReport = true;
      if (terminal.isSeen && !json) terminal.clear();
      tellReport(office, result.answer);
    } else {
      terminal.note(`${result.message ?? ''} (${result.code}); the report above is the last one.`);
    }
    await wait(pauseMs(result), undefined, { signal }).catch(() => {});
  }
}

const pauseMs = (result: Result<Report>): number =>
  1_000 * (result.ok ? result.answer.refresh_after_seconds : secondsAfter(result));

const secondsAfter = ({ retryAfterSeconds = 0 }: Failure): number =>
  Math.max(retryAfterSeconds, AGAIN_AFTER_FAILURE_SECONDS);

const AREA_COLUMNS = ['area', 'active_now', 'capacity', 'occupancy_percent'].concat(
  ['now', 'after_30', 'after_60'].map((when) => `available_${when}`),
);
const SOURCE_COLUMNS = ['source', 'status', 'last_successful_import_at'];

function tellReport({ terminal, json }: Office, report: Report): void {
  if (json) {
    terminal.jsonLine(report);
    return;
  }
  const { municipality, checked_at, rows, capacity_totals: totals, sources, source_freshness } = report;
  terminal.data(`${municipality.name} (${municipality.code})  ${shownTime(checked_at)}`);
  terminal.table([...rows, { area: 'total', ...totals, capacity: totals.spaces_count }], AREA_COLUMNS);
  const names = new Map(sources.map(({ id, code, name }) => [id, { code, name }]));
  const states = source_freshness.map(({ source_id, ...state }) => ({
    source: names.get(source_id),
    ...state,
  }));
  terminal.data('');
  terminal.table(states, SOURCE_COLUMNS);
}
