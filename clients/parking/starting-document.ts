/** A document to start from: a small city, whose codes and names have to be replaced. */
export const STARTING_DOCUMENT = `# A city to start from: replace codes and names, then
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
`;
