import { ParkingOccupancy } from './element.ts';

const NAME = 'parking-occupancy';

// A page may load the script twice.
if (customElements.get(NAME) === undefined) {
  customElements.define(NAME, ParkingOccupancy);
}
