// Saves one list after the other into the file that it is given, each with another number of entries, until it is killed.
import { HeldList } from '../../clients/client/gate/held-list.ts';
import { storedForm } from '../../clients/client/gate/stored-form.ts';
import { fileStore } from '../../clients/client/node/index.ts';
import { HEADER, HOUR, NOON, session } from './list-lines.ts';

const store = fileStore(process.argv[2] ?? '');
for (let round = 0; ; round++) {
  const entries = Array.from({ length: 200 + (round % 7) * 400 }, (_, index) =>
    session(`s${index}`, `p${index}`, NOON, NOON + HOUR),
  );
  await store.save(storedForm(HeldList.full(HEADER, entries, `round-${round}`)));
  process.stdout.write('.');
}
