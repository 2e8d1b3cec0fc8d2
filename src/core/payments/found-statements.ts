import { fromMunicipalities, SEARCH } from '../../serving/lookups/municipality-table.ts';
import { select, statement } from '../../storage/db/statement.ts';
import { KEY, ofKey, ofWindow, WINDOW } from './found-parts.ts';

/** Of a municipality that lives here. */
export const FIND_WINDOW = statement({ ...SEARCH, ...WINDOW }, (parameters) =>
  select(ofWindow(parameters), fromMunicipalities('code', parameters)),
);
export const FIND_KEY = statement({ ...SEARCH, ...KEY }, (parameters) =>
  select(ofKey(parameters), fromMunicipalities('code', parameters)),
);
