import { useEffect, useState } from 'hono/jsx/dom';
import { CitySection } from './city.tsx';
import { CredentialsSection } from './credentials.tsx';
import { ImportSection } from './import.tsx';
import { PaymentsSection } from './payments.tsx';
import { PlateSection } from './plate.tsx';
import { useSession } from './session.ts';
import { TitlesSection } from './titles.tsx';
import { say } from './words.ts';

const SECTIONS = [
  ['plate', say('Plate', 'Targa'), PlateSection],
  ['titles', say('Permits', 'Abbonamenti'), TitlesSection],
  ['import', say('Import', 'Importazione'), ImportSection],
  ['payments', say('Payments', 'Pagamenti'), PaymentsSection],
  ['credentials', say('Credentials', 'Credenziali'), CredentialsSection],
  ['city', say('City', 'Comune'), CitySection],
] as const;

/** The sections of the office, one at a time. The address names it, and nothing else: plates stay out of it. */
export function Sections() {
  const { mayChange } = useSession();
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const shown = SECTIONS.filter(([name]) => mayChange || name !== 'import');
  const [open, title, Section] = shown.find(([name]) => hash === `#${name}`) ?? SECTIONS[0];
  return (
    <>
      <nav class="tabs" aria-label={say('Office', 'Ufficio')}>
        {shown.map(([name, label]) => (
          <a key={name} href={`#${name}`} aria-current={name === open ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <div key={open} class="section">
        <h2>{title}</h2>
        <Section />
      </div>
    </>
  );
}
