import { createClient, type Failure, mayIssue, nextStep, type Result } from 'parking-client';
import { createGate } from 'parking-client/gate';
import { fileStore } from 'parking-client/gate/node';

const parking = createClient({ baseUrl: 'https://parking.example', token: 't' });
const checked = await parking.checkPlate({ plate: 'AB123CD', area_code: 'P1', event: 'entry' });
if (checked.ok) {
  const granted: boolean | undefined = checked.answer.access_granted;
  console.log(granted, checked.requestId);
} else {
  const failure: Failure = checked;
  switch (failure.failure) {
    case 'refused':
    case 'limited':
    case 'unavailable':
    case 'misconfigured':
      console.log(
        failure.code,
        failure.message,
        failure.retryAfterSeconds,
        failure.requestId,
        failure.code === 'AREA_NOT_FOUND' || failure.code === 'TIMED_OUT',
        failure.issues,
      );
  }
}
const health: Result<{ ok: true }> = await parking.getHealth();
const gate = createGate({
  baseUrl: 'https://parking.example',
  token: 't',
  areaCode: 'P1',
  whenUnknown: 'ask_attendant',
  store: fileStore('list'),
});
const { action, basis }: { action: 'open' | 'stay_shut' | 'ask_attendant'; basis: string } =
  await gate.decide('A1', 'exit');
const isReady: boolean = await gate.ready();
console.log(health.ok, action, basis, isReady);
const seen = await parking.checkPatrol({ checks: [{ id: '1', plate: 'A1', area_code: 'S1' }] });
const step: 'issue' | 'let_go' | 'look_again' | 'officer_decides' = nextStep(seen, '1');
console.log(mayIssue(seen), step);
