import type { Text } from '../../../src/base/text/text.ts';

/** A document to start from: a small city, whose codes and names have to be replaced. */
export const STARTING_DOCUMENT: Text = {
  en: `# A city to start from: replace codes and names, then
#   parking config diff FILE    shows what it would change
#   parking config put FILE     puts it, after asking
# What a document does not name stays as it is: later ones may be shorter. A code cannot be changed.
tenants:
  - code: my-office            # the operator of the parking: credentials are issued for it
    name: My parking office
municipalities:
  - code: Z999                 # such as the cadastral code
    name: My city
    timezone: Europe/Rome
    tenant: my-office
    services:
      public_occupancy: false  # true: anybody may see how full it is
    areas:
      - { code: S1, name: First Street, area_type: street, capacity: 40 }
      - code: P1
        name: First car park
        area_type: facility    # with a gate
        capacity: 120
        facility:
          subscription_access: true   # subscriptions open its gate
          entry_grace_minutes: 10     # let in so long before a session starts
          exit_grace_minutes: 15      # let out so long after it ends
    sources:                   # who sells sessions and imports them
      - code: app
        name: Parking app
        category: app
        stale_after_minutes: 15       # without an import for so long, it is late
        report_delay_minutes: 5       # a patrol trusts its silence after so long
        open_session_max_hours: 24    # a session that is never stopped counts for so long
    subscription_types:
      - { code: RES, name: Residents, renewal_opens_days_before: 30 }
    plans:                     # what a parking meter sells
      - codice_tariffa: "101"  # three digits, in quotes
        subscription_type: RES
        importo_eurocent: 2500 # 25.00 euro
        duration: P1M          # a month; P1Y is a year
        descrizione: RESIDENTI MENSILE
`,
  it: `# Un comune da cui partire: sostituire codici e nomi, poi
#   parking config diff FILE    mostra che cosa cambierebbe
#   parking config put FILE     lo scrive, dopo conferma
# Ciò che un documento non nomina resta com’è: i successivi possono essere più brevi. Un codice non si può cambiare.
tenants:
  - code: my-office            # chi gestisce la sosta: le credenziali sono emesse per questo ente
    name: Il mio ufficio sosta
municipalities:
  - code: Z999                 # per esempio il codice catastale
    name: Il mio comune
    timezone: Europe/Rome
    tenant: my-office
    services:
      public_occupancy: false  # true: chiunque può vedere quanto è pieno
    areas:
      - { code: S1, name: Prima via, area_type: street, capacity: 40 }
      - code: P1
        name: Primo parcheggio
        area_type: facility    # con un varco
        capacity: 120
        facility:
          subscription_access: true   # gli abbonamenti aprono il varco
          entry_grace_minutes: 10     # entrata ammessa tanto prima dell’inizio della sosta
          exit_grace_minutes: 15      # uscita ammessa tanto dopo la fine
    sources:                   # chi vende le soste e le importa
      - code: app
        name: App della sosta
        category: app
        stale_after_minutes: 15       # senza importazioni per tanto, è in ritardo
        report_delay_minutes: 5       # dopo tanto una pattuglia si fida del suo silenzio
        open_session_max_hours: 24    # una sosta che nessuno ferma vale per tanto
    subscription_types:
      - { code: RES, name: Residenti, renewal_opens_days_before: 30 }
    plans:                     # ciò che vende un parcometro
      - codice_tariffa: "101"  # tre cifre, tra virgolette
        subscription_type: RES
        importo_eurocent: 2500 # 25,00 euro
        duration: P1M          # un mese; P1Y è un anno
        descrizione: RESIDENTI MENSILE
`,
};
