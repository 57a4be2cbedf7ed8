import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AlarmProperties, isOn, type Measured } from '../fixtures/alarm-evaluation.ts';
import { production, stackOf } from '../fixtures/stack.ts';
import { alarmsOf } from './alarms.ts';
import { faults } from './faults.ts';
import { runFault } from './run-fault.ts';
import { createFaultWorld, type FaultWorld } from './world.ts';

const NOW = 1_800_000_000_000;
const alarms = alarmsOf(stackOf(production));
const alarm = (id: string): AlarmProperties => {
  const found = alarms.get(id);
  if (!found) throw new Error(`there is no alarm ${id}`);
  return found;
};
/** One value, a minute ago, of each metric whose key ends with one of these names and dimensions. */
const having =
  (values: Readonly<Record<string, number>>): Measured =>
  (key) =>
    Object.entries(values)
      .filter(([name]) => key.includes(name))
      .map(([, value]) => ({ at: NOW - 60_000, value }));

describe('the alarms of the template, evaluated as CloudWatch does', () => {
  test('are on without any data where something must happen all the time, and nowhere else', () => {
    const on = [...alarms].filter(([, one]) => isOn(one, NOW, () => undefined)).map(([id]) => id);
    expect(on.toSorted()).toEqual(['alarms-unheard', 'canary-silent', 'messages-absent', 'sweep-silent']);
    // Planted: the wrong treatment of missing data is seen.
    expect(isOn({ ...alarm('sweep-silent'), TreatMissingData: 'notBreaching' }, NOW, () => undefined)).toBe(false);
  });

  test.each([
    ['tasks-failing', { TasksFailed: 1 }, { TasksFailed: 0 }],
    ['alarms-untold', { AlarmsToTell: 1 }, { AlarmsToTell: 1, TimeToFirstAttempt: 40 }],
    [
      'events-repeated',
      { NumberOfMessagesReceived: 10, NumberOfMessagesDeleted: 2 },
      { NumberOfMessagesReceived: 100, NumberOfMessagesDeleted: 95 },
    ],
    // SQS need not measure what did not happen.
    ['events-repeated', { NumberOfMessagesReceived: 10 }, { NumberOfMessagesReceived: 5 }],
    ['falls-late', { TimeToFirstAttempt: 40_000 }, { TimeToFirstAttempt: 400 }],
    ['dead-letters', { ApproximateNumberOfMessagesVisible: 1 }, {}],
  ] as const)('%s rings where it must, and not otherwise', (id, ringing, well) => {
    expect(isOn(alarm(id), NOW, having(ringing))).toBe(true);
    expect(isOn(alarm(id), NOW, having(well))).toBe(false);
    // What is older than the period does not count.
    expect(isOn(alarm(id), NOW + 600_000, having(ringing))).toBe(false);
  });
});

describe('an alarm that is not told for two minutes', () => {
  let world: FaultWorld;
  beforeAll(async () => {
    world = await createFaultWorld();
  });
  afterAll(() => world.stop());
  const fault = faults.find(({ title }) => title.startsWith('the keys of secrets are away'));

  test('is heard of twice: by the failed tasks, and by the hits that nobody is told of', async () => {
    if (!fault) throw new Error('there is no such fault');
    const { lost, silent, rang } = await runFault(world, fault, 1);
    expect({ lost, silent }).toEqual({ lost: [], silent: [] });
    expect(rang).toEqual(expect.arrayContaining(['tasks-failing', 'alarms-untold']));
  });

  test('and of which no alarm rings is a failed run', async () => {
    if (!fault) throw new Error('there is no such fault');
    // Planted: a stage that has lost its alarms but one.
    const kept = [...world.watch.alarms];
    world.watch.alarms.clear();
    for (const [id, one] of kept) if (id === 'quarantine') world.watch.alarms.set(id, one);
    const { silent } = await runFault(world, fault, 2);
    expect(silent.length).toBeGreaterThan(0);
    for (const [id, one] of kept) world.watch.alarms.set(id, one);
  });
});
