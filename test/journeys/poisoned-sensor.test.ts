import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDeliveryWorld } from '../fixtures/deliveries.ts';
import { fallMessage } from '../fixtures/home.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
/** `poison`: every table call that contains this string fails. `isOut`: nothing can be decided. */
let poison: string | null;
let isOut: boolean;
beforeEach(async () => {
  [poison, isOut] = [null, false];
  world = await createDeliveryWorld({
    log: () => {},
    wrap: (runtime) => {
      const failing =
        <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
        async (...args: A): Promise<R> => {
          if (poison !== null && JSON.stringify(args).includes(poison)) throw new Error('a message that always fails');
          return call(...args);
        };
      const calls = Object.entries(runtime.table).map(([name, call]) => [name, failing(call as never)]);
      const failpoint = (name: string) => {
        if (isOut && name === 'process.judged') throw new Error('nothing can be decided');
      };
      return { ...runtime, failpoint, table: Object.fromEntries(calls) as typeof runtime.table };
    },
  });
});
afterEach(() => world.stop());

const quarantined = (): number => {
  if (!('queues' in world.waiting)) throw new Error('this test needs its queues in the same process');
  return world.waiting.queues.quarantine.stats().visible;
};
/** Advances time in small steps until a condition holds. Returns how long (ms) that took, at most `max` ms. */
const passUntil = async (holds: () => boolean, max: number): Promise<number> => {
  let passed = 0;
  for (; !holds() && passed < max; passed += 20 * SECOND) await world.pass(20 * SECOND);
  return passed;
};

test('a poison message is quarantined within 10 minutes even if there is only one sensor', async () => {
  const home = await world.furnish();
  const uuid = crypto.randomUUID();
  poison = uuid;
  await home.say({ ...fallMessage('calling', world.now()), uuid });
  await home.fall();
  expect(home.receiver.received).toEqual([]);
  expect(await passUntil(() => quarantined() > 0, 60 * MINUTE)).toBeLessThan(10 * MINUTE);
  await world.pass(SECOND);
  expect([quarantined(), home.receiver.received.length]).toEqual([1, 1]);
});

test("does not quarantine anything while every sensor's messages fail", async () => {
  const homes = [await world.furnish(), await world.furnish()];
  const [first, second] = homes;
  const uuid = crypto.randomUUID();
  isOut = true;
  await first?.say({ ...fallMessage('calling', world.now()), uuid });
  for (const { fall } of homes) await fall();
  await passUntil(() => false, 30 * MINUTE);
  expect(quarantined()).toBe(0);
  [poison, isOut] = [uuid, false];
  // The longest pause between two receives.
  await passUntil(() => quarantined() > 0 && second?.receiver.received.length === 1, 15 * MINUTE);
  await world.pass(15 * MINUTE);
  expect(quarantined()).toBe(1);
  expect(homes.map(({ receiver }) => receiver.received.length)).toEqual([1, 1]);
});
