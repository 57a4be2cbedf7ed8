import type { SettingsOf } from '#shared/runtime/deps.ts';
import type { StoreOf } from '#shared/store/store.ts';
import type { DeviceRates } from '../device/device-rates.ts';
import type { GuardCall } from '../guard-calls.ts';
import type { SuspectAccounts } from '../suspect-accounts.ts';

/** The dependencies for caller and rate checks. */
export type Guard = {
  store: StoreOf<GuardCall>;
  /** QUOTAS limits device messages, so groups called by devices use `keep:quotas`. */
  settings: SettingsOf<'guard' | 'keep:quotas'>;
  now: () => number;
  rates: DeviceRates;
  suspects: SuspectAccounts;
};
