import type { Settings } from '../../env.ts';
import type { StoreOf } from '../../store/store.ts';
import type { DeviceRates } from '../device-rates.ts';
import type { GuardCall } from '../guard-calls.ts';
import type { Suspects } from '../suspects.ts';

/** What the checks of callers and their rates need. */
export type Guard = {
  store: StoreOf<GuardCall>;
  settings: Settings;
  now: () => number;
  rates: DeviceRates;
  suspects: Suspects;
};
