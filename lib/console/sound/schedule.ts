export type Sound = 'alarm' | 'loud alarm' | 'suspicion' | 'not watched';

/**
 * A sound source. At least one key stays the same from call to call. When `rounds` grows, the source counts as a new
 * alarm.
 */
type Source = { keys: readonly string[]; rounds: number };
export type Sounding = {
  /** Sound until they are acknowledged. */
  alarms: readonly Source[];
  /** Sound once. */
  suspicions: readonly Source[];
  /** Whether to sound the warning that nothing is being watched. */
  isLost: boolean;
};

/**
 * The interval (ms) between alarm sounds, and how long (ms) after the first sound they become louder and more frequent.
 */
const ALARM_MS = 4_000;
const LOUD_ALARM_MS = 2_500;
const LOUD_AFTER_MS = 60_000;
/** The interval (ms) between sounds while nothing is being watched, and their delay (ms) after an alarm sound. */
const LOST_MS = 4_000;
const LOST_AFTER_ALARM_MS = 1_500;

type Known = { keys: readonly string[]; rounds: number; firstAt: number };

/**
 * Returns a function that decides what to sound at the given time (ms). It is called several times a second. An alarm
 * sounds at once, and so do a second fall, a new escalation round, and an alarm that was open when the page was loaded.
 * The sound is repeated until the alarm is acknowledged.
 */
export const createSchedule = () => {
  let known: readonly Known[] = [];
  let heard: ReadonlySet<string> = new Set();
  let nextAlarmAt = 0;
  let nextLostAt = 0;

  /** Updates the known alarms. Returns whether one of them is new. */
  const update = (alarms: readonly Source[], now: number): boolean => {
    let hasNew = false;
    known = alarms.map(({ keys, rounds }) => {
      const before = known.find((earlier) => earlier.keys.some((key) => keys.includes(key)));
      if (!before || rounds > before.rounds) hasNew = true;
      return { keys, rounds, firstAt: before?.firstAt ?? now };
    });
    return hasNew;
  };

  const alarmAt = (alarms: readonly Source[], now: number): Sound | null => {
    const hasNew = update(alarms, now);
    if (alarms.length === 0 || (!hasNew && now < nextAlarmAt)) return null;
    const isLoud = known.some(({ firstAt }) => now - firstAt >= LOUD_AFTER_MS);
    nextAlarmAt = now + (isLoud ? LOUD_ALARM_MS : ALARM_MS);
    return isLoud ? 'loud alarm' : 'alarm';
  };

  const isNewSuspicion = (suspicions: readonly Source[]): boolean => {
    const isNew = suspicions.some(({ keys }) => !keys.some((key) => heard.has(key)));
    heard = new Set(suspicions.flatMap(({ keys }) => keys));
    return isNew;
  };

  return ({ alarms, suspicions, isLost }: Sounding, now: number): Sound[] => {
    const sounds: Sound[] = [];
    const alarm = alarmAt(alarms, now);
    if (alarm) {
      sounds.push(alarm);
      nextLostAt = Math.max(nextLostAt, now + LOST_AFTER_ALARM_MS);
    }
    if (isNewSuspicion(suspicions) && !alarm) sounds.push('suspicion');
    if (isLost && now >= nextLostAt) {
      sounds.push('not watched');
      nextLostAt = now + LOST_MS;
    }
    return sounds;
  };
};
