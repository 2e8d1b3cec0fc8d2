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
  const numberOf = (name: keyof typeof OPTIONS, most = Number.MAX_SAFE_INTEGER): number => {
    const number = Number(values[name].trim() || Number.NaN);
    if (!Number.isInteger(number) || number < 0 || number > most) {
      throw new Error(`--${name} takes a whole number from 0: ${values[name]}`);
    }
    return number;
  };
  const city = {
    sessionsADay: numberOf('sessions-a-day'),
    extensionsADay: numberOf('extensions-a-day'),
    cancellationsADay: numberOf('cancellations-a-day'),
    checksADay: numberOf('checks-a-day'),
    sessionDays: numberOf('session-days', 36_500),
    callDays: numberOf('call-days', 36_500),
  };
  const found = reckon(city);
  const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
  const millions = (count: number): string => `${(count / 1e6).toFixed(1)} million`;
  const lines = [
    ['stored a day', `${(found.bytesADay / 1e6).toFixed(1)} MB`],
    ['stored once the retentions are over', gigabytes(found.bytes)],
    [
      'one database of 10 GB',
      found.fullOnDay === null ? 'is never full' : `is full on day ${found.fullOnDay}`,
    ],
    ...(found.alertOnDay === null
      ? []
      : ([
          ['alert at 8 GB', `comes on day ${found.alertOnDay}`],
          ['sessions that fit, beside these calls', `those of ${found.sessionDaysThatFit} days, in 7 GB`],
          [
            'kept for that long from the alert on',
            `the rest is deleted within ${found.daysToDelete} ${found.daysToDelete === 1 ? 'day' : 'days'}`,
          ],
        ] as const)),
    ['rows written and deleted a month', millions(found.rowsWrittenAMonth)],
    ['rows read a month', millions(found.rowsReadAMonth)],
    ['price of D1 a month', `$${found.dollarsAMonth.toFixed(2)}`],
    ['calls a month', millions(found.callsAMonth)],
    ['GB-seconds of objects a month', Math.round(found.gigabyteSecondsAMonth).toLocaleString('en')],
    ['price a month', `$${found.allDollarsAMonth.toFixed(2)}`],
  ] as const;
  for (const [name, value] of lines) print(`${name.padEnd(38)}${value}`);
} catch (error) {
  printFailure(error);
  process.exitCode = 2;
}
