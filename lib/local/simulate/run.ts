import { startReceiver } from '../demo/receiver.ts';
import { DAY } from './day.ts';
import { type Access, buildHome, type Device } from './home.ts';
import { type Plan, planFor } from './plan.ts';

export type Options = Access & { sensors: number; days: number; speed: number; seed: number };
/** What a run did so far; `time` is the simulated one, ms. `told`: how often each kind of event arrived. */
export type Tally = { time: number; sent: number; refused: number; told: Map<string, number> };
type Host = {
  now: () => number;
  pause: (ms: number) => Promise<void>;
  /** Between two sensors that are set up, ms. */
  paceMs: number;
  /** Hears how things go, several times in a second. */
  show: (tally: Tally) => void;
  /** Resolves when what was sent is worked off. */
  settled: () => Promise<void>;
};

/** `day 1 07:30`, of a simulated time (ms). */
export const clockText = (time: number): string => {
  const minutes = Math.floor((time % DAY) / 60_000);
  const two = (value: number) => String(value).padStart(2, '0');
  return `day ${Math.floor(time / DAY) + 1} ${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
};

/** One line for a tally. */
export const tallyText = ({ time, sent, refused, told }: Tally): string => {
  const total = [...told.values()].reduce((sum, count) => sum + count, 0);
  const kinds = [...told].toSorted().map(([kind, count]) => `${kind} ${count}`);
  const lost = refused > 0 ? `, ${refused} refused` : '';
  return `${clockText(time)}  sent ${sent}${lost}  arrived ${total}: ${kinds.join(', ')}`;
};

/** Sends what is planned at its time; the messages of one sensor stay in their order. */
const sendAll = async (plan: Plan, devices: readonly Device[], speed: number, host: Host, tally: Tally) => {
  const begin = host.now();
  const stamp = (at: number) => Math.round(begin + at / speed);
  const turns = devices.map(() => Promise.resolve());
  for (const { at, sensor, message } of plan.messages) {
    const wait = stamp(at) - host.now();
    if (wait > 0) await host.pause(wait);
    tally.time = at;
    const send = async () => {
      await devices[sensor]?.send(message(stamp)).then(
        () => tally.sent++,
        () => tally.refused++,
      );
    };
    turns[sensor] = (turns[sensor] ?? Promise.resolve()).then(send);
    host.show(tally);
  }
  await Promise.all(turns);
};

/** Lets a care home live for some days; true when every fall that happened was told. */
export const simulate = async (
  options: Options,
  host: Host,
  plan: Plan = planFor(options),
): Promise<{ tally: Tally; plan: Plan; holds: boolean }> => {
  const tally: Tally = { time: 0, sent: 0, refused: 0, told: new Map() };
  const receiver = await startReceiver(({ body }, response) => {
    const { event } = JSON.parse(body);
    const kind = `${event.type}/${event.action}`;
    tally.told.set(kind, (tally.told.get(kind) ?? 0) + 1);
    response.end();
  });
  const devices = await buildHome(options, options.sensors, receiver.url, () => host.pause(host.paceMs));
  await sendAll(plan, devices, options.speed, host, tally);
  await host.settled();
  await receiver.stop();
  return {
    tally,
    plan,
    holds: tally.refused === 0 && tally.told.get('fall/fall_detected') === (plan.falls || undefined),
  };
};
