import { isSoundOn } from '../sound/use-sound.ts';

/** How often (ms) the alarms are read while they can be seen or heard, and otherwise. */
const FAST_MS = 5_000;
const SLOW_MS = 60_000;

/** Returns how often (ms) the alarms are read now. A page that becomes visible reads them at once. */
export const pollingInterval = (): number =>
  document.visibilityState === 'visible' || isSoundOn() ? FAST_MS : SLOW_MS;
