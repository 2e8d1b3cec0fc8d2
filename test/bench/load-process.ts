// Asks many targets in turn, as the plan in the file says, and prints what autocannon has measured.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import type { Plan } from './load.ts';

const [, , file = ''] = process.argv;
// What the bench has written.
const { targets, howLong, connections } = JSON.parse(readFileSync(file, 'utf8')) as Plan;

const requests = targets.map(({ url, headers, body }) => ({
  path: new URL(url).pathname,
  method: 'POST' as const,
  body,
  headers,
}));

let connection = 0;
const result = await autocannon({
  url: new URL(targets[0].url).origin,
  connections,
  ...('seconds' in howLong ? { duration: howLong.seconds } : { amount: howLong.requests }),
  setupClient: (client) => {
    client.setRequests(
      requests.length < connections
        ? requests
        : requests.filter((_, index) => index % connections === connection % connections),
    );
    connection += 1;
  },
});
console.log(JSON.stringify(result));
