import type { Text } from '../../../src/base/text/text.ts';
import type { Rights } from './try-token.ts';

type Known = Exclude<Rights, null>;

/** Prints the rights of the token that was just stored. */
export function rightsInWords(rights: Known): Text {
  if (rights === 'everything') {
    return {
      en: 'It is the administrator’s: it may do everything. For daily work, log in with an office’s token.',
      it: 'È dell’amministratore: può fare tutto. Per il lavoro quotidiano usare il token di un ufficio.',
    };
  }
  const { name, tenant, scopes, municipalities, areas } = rights;
  const office = officeWords(scopes, tenant);
  const others = scopes.filter((scope) => scope !== 'office' && scope !== 'office_read');
  const places = `${municipalities.join(', ')}${areas === null ? '' : ` (${areas.join(', ')})`}`;
  const may = others.length === 0 ? null : `${others.join(', ')}: ${places}`;
  const say = (language: 'en' | 'it') =>
    [office?.[language], may].filter((part) => part !== undefined && part !== null).join('; ');
  return { en: `It is “${name}”: ${say('en')}.`, it: `È «${name}»: ${say('it')}.` };
}

function officeWords(scopes: readonly string[], tenant: string): Text | null {
  if (scopes.includes('office')) {
    return {
      en: `it administers the tenant ${tenant}`,
      it: `amministra l’ente ${tenant}`,
    };
  }
  return scopes.includes('office_read')
    ? { en: `it reads the administration of ${tenant}`, it: `legge l’amministrazione di ${tenant}` }
    : null;
}

/** The same for programs. */
export function rightsAsJson(rights: Rights) {
  if (rights === null || rights === 'everything') return rights;
  const { tenant, scopes, municipalities, areas } = rights;
  return { tenant, scopes, municipalities, areas };
}
