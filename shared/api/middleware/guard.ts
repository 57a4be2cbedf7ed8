import type { SettingsOf } from '#shared/runtime/deps.ts';
import type { StoreOf } from '#shared/store/store.ts';
import type { DeviceRates } from '../device/device-rates.ts';
import type { GuardCall } from '../guard-calls.ts';
import type { SuspectAccounts } from '../suspect-accounts.ts';

/** The dependencies of the checks of callers and rates. */
export type Guard = {
  store: StoreOf<GuardCall>;
  /** QUOTAS limit the messages of devices, so groups that devices call use `keep:quotas`. */
  settings: SettingsOf<'guard' | 'keep:quotas'>;
  now: () => number;
  rates: DeviceRates;
  suspects: SuspectAccounts;
};
