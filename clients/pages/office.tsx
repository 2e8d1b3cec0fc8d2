// The office: the clerk's page. It is drawn here alone; the service sends its frame.

import { render } from 'hono/jsx/dom';
import { App } from './office/app.tsx';

const place = document.getElementById('office');
if (place === null) throw new Error('the page has no #office');
render(<App />, place);
