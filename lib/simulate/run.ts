import { startReceiver } from '#lib/home/receiver.ts';
import { createArrivals } from './arrivals.ts';
import { DAY } from './day.ts';
import { type Accounts, type Counts, createExpectation } from './expect.ts';
import { type Access, buildHome, type Home } from './home.ts';
import { makerOf } from './makers.ts';
import { dayIn, messagesOf, type PlanOptions } from './plan.ts';
import { differences, type Records } from './records.ts';
import type { Kind } from './rules.ts';
import type { SimulationClock } from './simulation-clock.ts';

/**
 * The progress of a run. `time` is the simulated time (ms). `deliveries` counts deliveries to the webhook that receives
 * all events, by event kind. `alarms` counts deliveries caused by rules.
 */
export type Tally = { time: number; sent: number; rejected: number; deliveries: Counts; alarms: number };
type Host = {
  /** Starts the simulated clock. */
  startClock: () => SimulationClock;
  /** Awaited after setting up each sensor, to stay below the API rate limit. */
  pace: () => Promise<void>;
  /** Called with the tally after every message. */
  show: (tally: Tally) => void;
};
/** `slow` counts falls that only cloud timers advance and that are therefore reported minutes later. */
type Result = {
  tally: Tally;
  expected: Accounts;
  slow: number;
  arrivals: ReturnType<typeof createArrivals>;
  home: Home;
};

/** Formats a simulated time (ms) as `day 1 07:30`. */
export const clockText = (time: number): string => {
  const minutes = Math.floor((time % DAY) / 60_000);
  const two = (value: number) => String(value).padStart(2, '0');
  return `day ${Math.floor(time / DAY) + 1} ${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
};

const sum = (counts: Counts): number => [...counts.values()].reduce((total, count) => total + count, 0);

/** Formats a tally as one line. */
export const tallyText = ({ time, sent, rejected, deliveries, alarms }: Tally): string => {
  const kinds = [...deliveries].toSorted().map(([kind, count]) => `${kind} ${count}`);
  const lost = rejected > 0 ? `, ${rejected} rejected` : '';
  return `${clockText(time)}  sent ${sent}${lost}  alarms ${alarms}  arrived ${sum(deliveries)}: ${kinds.join(', ')}`;
};

/** Simulates a care home for several days. Counts the expected events and the deliveries that arrive. */
export const simulate = async (options: Access & PlanOptions, host: Host): Promise<Result> => {
  const tally: Tally = { time: 0, sent: 0, rejected: 0, deliveries: new Map(), alarms: 0 };
  const arrivals = createArrivals();
  let home: Home | undefined;
  const receiver = await startReceiver((request, response) => {
    receiver.received.length = 0;
    const arrival = arrivals.record(request, home?.hooks ?? new Map());
    if (arrival?.listener === 'everything')
      tally.deliveries.set(arrival.kind, (tally.deliveries.get(arrival.kind) ?? 0) + 1);
    else if (arrival) tally.alarms++;
    response.end();
  });
  home = await buildHome(options, options.sensors, receiver.url, host.pace);
  const { devices } = home;
  const { stamp, run, until } = host.startClock();
  const { accounts, observe } = createExpectation(stamp(0));
  let slow = 0;
  for (let day = 0; day < options.days; day++) {
    const moments = dayIn(options, day);
    for (const moment of moments) observe(moment);
    slow += moments.filter(({ what, sensor }) => what === 'cut_fall' && makerOf(sensor) === 'maker_a').length;
    await run(messagesOf(moments), async ({ at, sensor, message }) => {
      await devices[sensor]?.send(message(stamp)).then(
        () => tally.sent++,
        () => tally.rejected++,
      );
      tally.time = Math.max(tally.time, at);
      host.show(tally);
    });
  }
  await until((options.days - 1) * DAY + (options.hours?.[1] ?? DAY));
  await receiver.stop();
  return { tally, expected: accounts, slow, arrivals, home };
};

const eventsOf = ({ events }: Accounts, kind: Kind): number =>
  sum(new Map([...events].filter(([key]) => key.endsWith(` ${kind}`))));

/** Checks what must hold at any clock speed: every message was accepted, and every fall was delivered. */
export const checkFalls = ({ tally, expected, slow }: Result): { complaints: string[]; verdict: string } => {
  const happened = eventsOf(expected, 'fall/fall_detected');
  const delivered = tally.deliveries.get('fall/fall_detected') ?? 0;
  return {
    complaints: [
      ...(tally.rejected > 0 ? [`${tally.rejected} messages were rejected`] : []),
      ...(delivered <= happened && delivered >= happened - slow
        ? []
        : [`falls: expected ${happened}, delivered ${delivered}`]),
    ],
    verdict: `${happened} falls happened, ${delivered} were delivered${delivered < happened ? ', and timers will report the others' : ''}`,
  };
};

/**
 * Compares the received deliveries and the records listed by the cloud API with the expectation, which was derived
 * without the cloud.
 */
export const checkRecords = (
  { tally, expected, arrivals, home }: Result,
  { events, hits, open, unsent }: Records,
): { complaints: string[]; verdict: string } => {
  const anomalies: [number, string][] = [
    [tally.rejected, 'messages were rejected'],
    [arrivals.strangers(), 'deliveries had an unknown token'],
    [unsent, 'hits are not marked as sent'],
  ];
  const bytes = expected.deliveries.get('bytes') ?? 0;
  const alarms = sum(expected.deliveries) - sum(expected.events) - bytes;
  return {
    complaints: [
      ...anomalies.filter(([times]) => times > 0).map(([times, text]) => `${times} ${text}`),
      ...differences('events of sensor', expected.events, events),
      ...differences('hits of sensor', expected.hits, hits),
      ...differences('deliveries', expected.deliveries, arrivals.deliveries),
      ...differences('unfinished deliveries', new Map(), open),
    ],
    verdict:
      `${tally.sent} messages: ${sum(expected.events)} events from ${bytes} of them and from timers, each delivered once; ` +
      `${sum(expected.hits)} hits of ${home.rules.size} rules, ${alarms} alarms, each delivered once; ` +
      `${arrivals.duplicates()} duplicates, nothing pending; all as expected`,
  };
};
