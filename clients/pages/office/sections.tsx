import { useEffect, useState } from 'hono/jsx/dom';
import { CitySection } from './city.tsx';
import { CredentialsSection } from './credentials.tsx';
import { ImportSection } from './import.tsx';
import { PaymentsSection } from './payments.tsx';
import { PlateSection } from './plate.tsx';
import { useSession } from './session.ts';
import { TitlesSection } from './titles.tsx';
import { SECTION, say } from './words.ts';

const SECTIONS = {
  plate: PlateSection,
  titles: TitlesSection,
  import: ImportSection,
  payments: PaymentsSection,
  credentials: CredentialsSection,
  city: CitySection,
} as const;
type Name = keyof typeof SECTIONS;
const NAMES: readonly Name[] = ['plate', 'titles', 'import', 'payments', 'credentials', 'city'];

/** The sections of the office, one at a time. The address names it, and nothing else: plates stay out of it. */
export function Sections() {
  const { mayChange } = useSession();
  const shown = NAMES.filter((one) => mayChange || one !== 'import');
  const nameInAddress = (): Name => shown.find((one) => location.hash === `#${one}`) ?? 'plate';
  const [name, setName] = useState(nameInAddress());
  useEffect(() => {
    const follow = (): void => setName(nameInAddress());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const Section = SECTIONS[name];
  return (
    <>
      <nav class="tabs" aria-label={say('Office', 'Ufficio')}>
        {shown.map((one) => (
          <a key={one} href={`#${one}`} aria-current={one === name ? 'page' : undefined}>
            {SECTION[one]}
          </a>
        ))}
      </nav>
      <div key={name} class="section">
        <h2>{SECTION[name]}</h2>
        <Section />
      </div>
    </>
  );
}
