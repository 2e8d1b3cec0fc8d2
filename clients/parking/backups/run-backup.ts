import type { Failure } from '../../client/index.ts';
import { stopOf } from '../failure-advice.ts';
import type { Office } from '../office.ts';
import { partTime } from '../part-time.ts';
import { Stop, wrongUsage } from '../stop.ts';
import { Live } from '../terminal/live.ts';
import { counted } from '../terminal/numbers.ts';
import { isWhole, partsOf, type Standing } from './backup-file.ts';
import { Draft } from './draft.ts';
import { damagedStop, mib, PARTS, ROWS } from './texts.ts';

/** As for a part of an import. */
const PART_BUDGET_MS = 300_000;
/** How often a backup may begin again because a plate was erased or the municipality moved meanwhile. */
const MAX_BEGINNINGS = 5;

/** Backs a municipality up into a file, part by part: no more than one is held in memory. */
export async function runBackup(office: Office, code: string, file: string): Promise<void> {
  // Before the file is made, so that a command without a secret leaves no file behind.
  const { client } = office;
  const draft = Draft.open(file);
  try {
    requireSame(draft, code);
    await takeParts(office, client, draft, code);
    draft.finish();
  } catch (error) {
    draft.leave();
    throw damagedStop(draft.name, error);
  }
  report(office, draft.standing, file);
}

async function takeParts(
  office: Office,
  client: Office['client'],
  draft: Draft,
  code: string,
): Promise<void> {
  const options = { budgetMs: PART_BUDGET_MS, ...office.call, ...partTime(office.environment) };
  const live = new Live(office.terminal, 'stderr');
  if (partsOf(draft.standing) > 0) {
    office.note({
      en: `Continuing after ${counted(partsOf(draft.standing), PARTS, 'en')} of an earlier run.`,
      it: `Si prosegue dopo ${counted(partsOf(draft.standing), PARTS, 'it')}.`,
    });
  }
  try {
    for (let beginnings = 0; !isWhole(draft.standing); ) {
      live.show(progressText(office, draft.standing));
      const { last } = draft.standing;
      const result = await client.backUpMunicipality(
        { code, ...(last !== null && { after: last.end.after }) },
        options,
      );
      if (result.ok) {
        await draft.add(result.answer);
      } else if (result.code === 'CURSOR_GONE' && beginnings < MAX_BEGINNINGS) {
        beginnings += 1;
        draft.empty();
        live.clear();
        office.note(BEGINS_AGAIN);
      } else {
        throw brokenOff(draft.standing, result);
      }
    }
  } finally {
    live.clear();
  }
}

const BEGINS_AGAIN = {
  en: 'The backup begins again, without the parts so far: a plate was erased meanwhile, or the municipality or its database was moved.',
  it: 'Si ricomincia: nel frattempo una targa è stata cancellata, o il comune o il suo database è stato spostato. Quanto preso viene eliminato.',
};

/** @throws Stop if the draft is of another municipality */
function requireSame({ standing: { last }, name }: Draft, code: string): void {
  const begun = last?.header.municipality_code ?? code;
  if (begun === code) return;
  throw wrongUsage({
    en: `${name} is an unfinished backup of ${begun}: finish that one, delete it, or choose another file.`,
    it: `${name} è una copia incompleta di ${begun}: completarla, eliminarla o indicare un altro file.`,
  });
}

function brokenOff(standing: Standing, failure: Failure): Stop {
  const stop = stopOf(failure);
  if (standing.last === null) return stop;
  const parts = partsOf(standing);
  return new Stop(stop.exitCode, stop.text, {
    ...stop.details,
    advice: {
      en: `${counted(parts, PARTS, 'en')} ${parts === 1 ? 'is' : 'are'} kept: run the same command again to continue.`,
      it: `${counted(parts, PARTS, 'it')}: ripetendo lo stesso comando si prosegue da lì.`,
    },
  });
}

function progressText({ language }: Office, standing: Standing): string {
  const parts = counted(partsOf(standing), PARTS, language);
  return `${parts}  ${counted(standing.rows, ROWS, language)}  ${mib(standing.bytes)}`;
}

function report(office: Office, standing: Standing, file: string): void {
  const { terminal, json } = office;
  const header = standing.last?.header;
  if (json) {
    const { municipality_code, tenant, backup_id, begun_at } = { ...header };
    const sums = { parts: partsOf(standing), rows: standing.rows, bytes: standing.bytes };
    terminal.json({ file, municipality_code, tenant, backup_id, begun_at, ...sums });
    return;
  }
  terminal.data(`${file}: ${progressText(office, standing)}`);
}
