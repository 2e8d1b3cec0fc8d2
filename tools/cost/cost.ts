// Computes a city's storage and its price: npx node tools/cost/cost.ts --sessions-a-day 50000 --checks-a-day 100000
import { readCommandLine } from '../command-line.ts';
import { print, printFailure } from '../print.ts';
import { reckon } from './reckon.ts';

const USAGE = `npx node tools/cost/cost.ts [--OPTION N …]
  --sessions-a-day N       parking sessions (50000)
  --extensions-a-day N     changes of their ends (0)
  --cancellations-a-day N  sessions that are cancelled (0)
  --checks-a-day N         plate checks (100000)
  --session-days N         how long sessions are kept (400)
  --call-days N            how long the call log is kept (90)`;

const OPTIONS = {
  'sessions-a-day': { type: 'string', default: '50000' },
  'extensions-a-day': { type: 'string', default: '0' },
  'cancellations-a-day': { type: 'string', default: '0' },
  'checks-a-day': { type: 'string', default: '100000' },
  'session-days': { type: 'string', default: '400' },
  'call-days': { type: 'string', default: '90' },
} as const;

try {
  const { values } = readCommandLine(USAGE, { options: OPTIONS });
  const numberOf = (name: keyof typeof OPTIONS): number => {
    const form = name.endsWith('-a-day') ? /^\d{1,12}$/ : /^\d{1,5}$/;
    if (!form.test(values[name])) throw new Error(`--${name} takes no ${values[name]}\n\n${USAGE}`);
    return Number(values[name]);
  };
  const { bytesADay, fullOnDay, sessionDaysThatFit, amounts, databaseDollars, dollars } = reckon({
    sessionsADay: numberOf('sessions-a-day'),
    extensionsADay: numberOf('extensions-a-day'),
    cancellationsADay: numberOf('cancellations-a-day'),
    checksADay: numberOf('checks-a-day'),
    sessionDays: numberOf('session-days'),
    callDays: numberOf('call-days'),
  });
  const millions = (count: number): string => `${(count / 1e6).toFixed(1)} million`;
  const lines = {
    'stored a day': `${(bytesADay / 1e6).toFixed(1)} MB`,
    'stored once the retentions are over': `${(amounts.bytes / 1e9).toFixed(1)} GB`,
    'one database of 10 GB': fullOnDay === null ? 'is never full' : `is full on day ${fullOnDay}`,
    'sessions that fit, beside these calls': Number.isFinite(sessionDaysThatFit)
      ? `those of ${sessionDaysThatFit} days, in 7 GB`
      : 'all',
    'rows written and deleted a month': millions(amounts.rowsWritten),
    'rows read a month': millions(amounts.rowsRead),
    'price of D1 a month': `$${databaseDollars.toFixed(2)}`,
    'calls a month': millions(amounts.calls),
    'GB-seconds of objects a month': Math.round(amounts.gigabyteSeconds).toLocaleString('en'),
    'price a month': `$${dollars.toFixed(2)}`,
  };
  for (const [name, value] of Object.entries(lines)) print(`${name.padEnd(38)}${value}`);
} catch (error) {
  printFailure(error);
  process.exitCode = 2;
}
