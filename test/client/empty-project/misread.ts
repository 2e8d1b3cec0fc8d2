import { createClient } from 'parking-client';
import { createGate } from 'parking-client/gate';

const parking = createClient({ baseUrl: 'https://parking.example', token: 't' });
const checked = await parking.checkPlate({ plate: 'AB123CD', area_code: 'P1', event: 'entry' });
if (!checked.ok) {
  console.log(checked.answer); // does not compile
  console.log(checked.access_granted); // does not compile
  console.log(checked.has_valid_entitlement); // does not compile
}
console.log(checked.answer.access_granted); // does not compile
const { answer } = checked; // does not compile
console.log(answer);
const granted: boolean = checked.ok && checked.answer.access_granted; // does not compile
console.log(granted);
if (!checked.ok && checked.code === 'AREA_NOT_FUOND') console.log('a slip'); // does not compile
if (checked.failure === 'refused') console.log('keep it out'); // does not compile
createGate({ baseUrl: 'https://parking.example', token: 't', areaCode: 'P1' }); // does not compile
await parking.checkPlate({ area_code: 'P1' }); // does not compile
