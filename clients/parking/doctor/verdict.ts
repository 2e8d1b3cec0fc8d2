import { EXIT } from '../exit-codes.ts';
import { Stop } from '../stop.ts';
import type { Findings } from './findings.ts';

/** How far ahead the service lets a controller's clock be. */
export const MAX_CLOCK_SECONDS = 5;

/** The reason why calls cannot work, as the end of the command; null if they can. */
export function verdictOf(found: Findings): Stop | null {
  if (!found.reachable) {
    return new Stop(
      EXIT.unavailable,
      { en: 'The service does not answer.', it: 'Il servizio non risponde.' },
      {
        advice: {
          en: 'Check the address, and whether the service is running (`npm start` in its repository).',
          it: 'Controllare l’indirizzo, e che il servizio sia attivo (`npm start` nel suo repository).',
        },
      },
    );
  }
  if (found.secrets.some(({ state }) => state === 'refused')) {
    return new Stop(EXIT.refused, { en: 'A secret is refused.', it: 'Un segreto è rifiutato.' });
  }
  if (found.secrets.every(({ state }) => state === 'not_set')) {
    return new Stop(EXIT.usage, {
      en: 'There is no secret: run `parking login`, or set PARKING_TOKEN.',
      it: 'Non c’è alcun segreto: eseguire `parking login`, oppure impostare PARKING_TOKEN.',
    });
  }
  const ahead = Math.abs(found.clock_ahead_seconds ?? 0);
  if (ahead > MAX_CLOCK_SECONDS) {
    return new Stop(EXIT.refused, {
      en: `The clocks differ by ${ahead} s: set this machine’s clock, or instants will be refused or wrong.`,
      it: `Gli orologi differiscono di ${ahead} s: regolare l’orologio di questo computer, o gli istanti saranno rifiutati o errati.`,
    });
  }
  return null;
}
