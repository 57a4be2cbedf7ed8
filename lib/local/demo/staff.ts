import type { Clock } from '../clock.ts';

export const NURSE = 'Demo nurse call';
export const HEAD_NURSE = 'Demo head nurse';
/** The seconds after which the head nurse is notified of an unacknowledged alarm. */
export const ESCALATES_AFTER = 30;
/** How long (ms) each nurse takes to acknowledge an alarm. */
const ANSWERS_AFTER = { [NURSE]: 8_000, [HEAD_NURSE]: 5_000 };
/** The nurse misses every fifth alarm. */
const MISSES_EVERY = 5;

type Alarm = { webhook?: { name?: unknown }; event?: { type?: unknown }; acknowledgeUrl?: unknown };

const alarmOf = (body: string): Alarm | null => {
  try {
    return JSON.parse(body) as Alarm | null;
  } catch {
    return null;
  }
};

/** Starts two simulated nurses who acknowledge the falls that reach their webhooks in the Full format. */
export const startStaff = ({ after }: Pick<Clock, 'after'>, say: (line: string) => void) => {
  const timers = new Set<() => void>();
  let alarms = 0;

  const acknowledge = async (name: string, url: string): Promise<void> => {
    const headers = { 'Content-Type': 'application/json' };
    const signal = AbortSignal.timeout(5_000);
    try {
      const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ name }), signal });
      say(status === 200 ? `${name}: I'm on it` : `${name}: could not acknowledge the alarm (${status})`);
    } catch (error) {
      say(`${name}: could not acknowledge the alarm (${error})`);
    }
  };

  return {
    hear: (body: string): void => {
      const { webhook, event, acknowledgeUrl: url } = alarmOf(body) ?? {};
      const name = webhook?.name;
      if (event?.type !== 'fall' || typeof url !== 'string' || (name !== NURSE && name !== HEAD_NURSE)) return;
      if (name === NURSE && ++alarms % MISSES_EVERY === 0) return;
      const cancel = after(ANSWERS_AFTER[name], () => {
        timers.delete(cancel);
        void acknowledge(name, url);
      });
      timers.add(cancel);
    },
    stop: (): void => {
      for (const cancel of timers) cancel();
    },
  };
};
