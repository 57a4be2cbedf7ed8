import { onSchedule } from '../../shared/queue/consume.ts';
import { sweep } from './contract.ts';
import { createPatience } from './patience.ts';

/** Leaves this much of its time unused, for queues that give no answer: what is left waits for the next sweep. */
const MARGIN_MS = 10_000;

// One for each table, as long as the process lives.
const patience = new WeakMap<object, ReturnType<typeof createPatience>>();
const patienceOf = (store: object) => {
  const known = patience.get(store) ?? createPatience();
  patience.set(store, known);
  return known;
};

export const handler = onSchedule(sweep, async (deps, timeLeft) => {
  const { store, ringEvents, ringDeliveries, ringRetries, now, log } = deps;
  const places = await store.due.beat(now(), deps.longestGap());
  const { isTime, tidy } = patienceOf(store);
  tidy(now());
  let rung = 0;
  deps.crashpoint(30);
  for await (const page of store.due.waiting(now(), places)) {
    const events = page
      .filter((one) => one.kind === 'event')
      .filter(({ uuid, sensorId }) => isTime(`${sensorId} ${uuid}`, now()));
    const sensors = page.filter((one) => one.kind === 'sensor');
    const deliveries = page.filter((one) => one.kind === 'delivery');
    const jobs = page.filter((one) => one.kind === 'job');
    await Promise.all([
      ringEvents(sensors.map(({ customerId: c, sensorId: s }) => ({ c, s, e: [] }))),
      ringEvents(events.map(({ customerId: c, sensorId: s, uuid }) => ({ c, s, e: [uuid] }))),
      ringDeliveries(deliveries.map(({ customerId: c, webhookId: w, deliveryId: d }) => ({ c, w, d }))),
      ringRetries(
        jobs.map(({ customerId: c, webhookId: w, job: j }) => ({ c, w, j: j as 'held' })),
        0,
      ),
    ]);
    deps.crashpoint(31);
    rung += sensors.length + events.length + deliveries.length + jobs.length;
    if (timeLeft() < MARGIN_MS) break;
  }
  if (places.length > 0) await store.due.leave(places);
  if (rung > 0) log('info', 'rang again', { rung });
});
