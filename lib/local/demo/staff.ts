import type { Clock } from '../clock.ts';

export const NURSE = 'Demo nurse call';
export const HEAD_NURSE = 'Demo head nurse';
/** The head nurse is told when nobody has answered so many seconds after an alarm. */
export const ESCALATES_AFTER = 30;
/** How long (ms) each takes to answer. */
const ANSWERS_AFTER = { [NURSE]: 8_000, [HEAD_NURSE]: 5_000 };
/** The nurse leaves every fifth alarm unanswered. */
const UNANSWERED = 5;

type Alarm = { webhook?: { name?: unknown }; event?: { type?: unknown }; acknowledgeUrl?: unknown };

const alarmOf = (body: string): Alarm | null => {
  try {
    return JSON.parse(body) as Alarm | null;
  } catch {
    return null;
  }
};

/** Two who answer falls that their webhooks of format Full are told of. Gives what hears a body, and what ends it. */
export const startStaff = ({ after }: Pick<Clock, 'after'>, say: (line: string) => void) => {
  const ends = new Set<() => void>();
  let alarms = 0;

  const answer = async (name: string, url: string): Promise<void> => {
    const headers = { 'Content-Type': 'application/json' };
    const signal = AbortSignal.timeout(5_000);
    try {
      const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ name }), signal });
      say(status === 200 ? `${name}: I'll go` : `${name}: the alarm could not be acknowledged (${status})`);
    } catch (error) {
      say(`${name}: the alarm could not be acknowledged (${error})`);
    }
  };

  return {
    hear: (body: string): void => {
      const { webhook, event, acknowledgeUrl: url } = alarmOf(body) ?? {};
      const name = webhook?.name;
      if (event?.type !== 'fall' || typeof url !== 'string' || (name !== NURSE && name !== HEAD_NURSE)) return;
      if (name === NURSE && ++alarms % UNANSWERED === 0) return;
      const cancel = after(ANSWERS_AFTER[name], () => {
        ends.delete(cancel);
        void answer(name, url);
      });
      ends.add(cancel);
    },
    stop: (): void => {
      for (const end of ends) end();
    },
  };
};
