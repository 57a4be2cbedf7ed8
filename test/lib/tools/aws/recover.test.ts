import { describe, expect, test } from 'vitest';
import { recoveryGoal } from '#lib/tools/aws/recovery.ts';
import type { Template } from '#lib/tools/aws/template.ts';
import { randomUlid } from '#shared/domain/ids.ts';
import { store } from '#shared/store/store.ts';
import { isReading } from '#test/fixtures/recovery-aws.ts';
import { changesIn, type Drill, drill, goal, outcomeWith } from '#test/fixtures/recovery-drill.ts';
import { OLD, outcomeOf, START, templateOf, type WorldTable } from '#test/fixtures/recovery-world.ts';
import { mqttDomain, stackOf } from '#test/fixtures/stack.ts';

const stateIn = ({ world: { now: _, change: __, functions, ...rest } }: Drill) =>
  structuredClone([rest, Object.values(functions).map(({ reserved, table }) => [reserved, table])]);

describe('a recovery', () => {
  test('switches the stage to the recovered table with all previous table features', async () => {
    const { run, world, calls, broken, lines } = drill();
    expect(await run()).toBe(true);
    expect([...broken]).toEqual([]);
    const { tables, functions, mappings } = outcomeOf(world);
    const extras = { ttl: 'ttl', isRecoverable: true, isProtected: true };
    expect(tables).toEqual([
      { name: OLD, source: null, to: null, ...extras },
      { name: goal.target, source: OLD, to: Date.parse('2026-11-22T10:00:00Z'), ...extras },
    ]);
    const on = { table: goal.target, since: '2026-11-22T10:01:00.000Z' };
    expect(functions).toEqual([
      { name: 'SensorCloud-prod-devices', reserved: 200, ...on },
      { name: 'SensorCloud-prod-users', reserved: null, ...on },
      { name: 'SensorCloud-prod-sweep', reserved: null, ...on },
      { name: 'SensorCloud-prod-process', reserved: 20, ...on },
      { name: 'SensorCloud-prod-ingest', reserved: null, ...on },
      { name: 'SensorCloud-prod-eu-process', reserved: 20, table: OLD, since: '' },
    ]);
    expect(mappings.every(({ isOn }) => isOn)).toBe(true);
    const inOrder = changesIn(calls).filter((call, at, all) => call !== all[at - 1]);
    expect(inOrder.slice(inOrder.indexOf('PutFunctionConcurrency'))).toEqual([
      'PutFunctionConcurrency',
      'UpdateEventSourceMapping',
      'PutFunctionConcurrency',
      'deploy',
      'PutFunctionConcurrency',
      'DeleteFunctionConcurrency',
      'UpdateEventSourceMapping',
      'PutFunctionConcurrency',
      'DeleteFunctionConcurrency',
    ]);
    expect(lines[0]).toBe('stage prod, account 123456789012, region eu-central-1');
    expect(lines.filter((line) => /^ +\d+\.\d s {2}/.test(line))).toHaveLength(10);
    const settings = `-c tableName=${goal.target} -c credentialsSince=2026-11-22T10:01:00.000Z`;
    expect(lines.slice(-5).join('\n')).toMatch(
      new RegExp(`${settings}\\n.*which stays unchanged.*npm run smoke -- --url https`, 's'),
    );
    expect(lines.join('\n')).toMatch(/waiting for 1 min until the table .* active\n/);
  });

  test('stops and starts every function and queue in the stage', async () => {
    const whole = (more: object) => {
      const settings = { stage: 'prod', mqtt: true, ...mqttDomain, concurrency: { devices: 200, sweep: 1 }, ...more };
      const text = JSON.stringify(stackOf(settings).template.toJSON());
      return JSON.parse(text.replaceAll('"FunctionName":"Test-', '"FunctionName":"SensorCloud-prod-')) as Template;
    };
    const { run, world, broken, lines } = drill({ before: whole({}), after: whole(goal.settings) });
    const { functions } = structuredClone(outcomeOf(world));
    expect(await run()).toBe(true);
    expect([...broken]).toEqual([]);
    const reservations = (all: typeof functions) => all.map(({ name, reserved }) => [name, reserved]);
    expect(reservations(outcomeOf(world).functions)).toEqual(reservations(functions));
    expect(functions.length).toBeGreaterThan(25);
    expect(lines.join('\n')).toMatch(/close the APIs: stop \d\d functions.*disable 6 event source mappings/s);
  });

  test('changes nothing when repeated', async () => {
    const { run, calls, lines } = drill();
    await run();
    const before = calls.length;
    lines.length = 0;
    expect(await run()).toBe(true);
    expect(changesIn(calls.slice(before))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('done'))).toHaveLength(10);
  });

  test('deploys again to set credentialsSince if the stage was switched by hand', async () => {
    const { run, world, calls, broken } = drill({
      before: templateOf(goal.target, ''),
      after: templateOf(goal.target, goal.settings.credentialsSince ?? ''),
    });
    world.tables[goal.target] = { ...structuredClone(world.tables[OLD]), source: OLD } as WorldTable;
    world.table = goal.target;
    for (const worldFunction of Object.values(world.functions)) worldFunction.table = goal.target;
    broken.clear();
    expect(await run()).toBe(true);
    expect(calls).toContain('deploy');
    expect(calls).not.toContain('RestoreTableToPointInTime');
    expect(world.functions['SensorCloud-prod-users']).toMatchObject({ since: '2026-11-22T10:01:00.000Z' });
  });

  test('can recover the recovered table to another time', async () => {
    const { run, world, broken } = drill();
    await run();
    const later = recoveryGoal('prod', '2026-11-22T11:00:00Z');
    const next = drill(
      { before: world.template, after: templateOf(later.target, later.settings.credentialsSince ?? '') },
      later,
    );
    Object.assign(next.world, { ...structuredClone({ ...world, change: null }), now: START });
    expect(await next.run()).toBe(true);
    expect(next.world.tables[later.target]).toMatchObject({ source: goal.target, ttl: 'ttl', isProtected: true });
    expect([...broken]).toEqual([]);
  });
});

test('repeats each erasure made after the recovery time only once', async () => {
  const { run, lines, tableNamed } = drill();
  const [old, recovered] = [OLD, goal.target].map((name) => store(tableNamed(name)).dataJobs);
  const at = (minutes: number) => {
    const createDate = goal.to + minutes * 60_000;
    const id = randomUlid(createDate, (bytes) => new Uint8Array(bytes));
    const job = { id, kind: 'erasure', customerId: 7, state: 'completed', subject: { kind: 'user', id: 12 } } as const;
    return { ...job, reason: 'r', counts: { user: 1 }, createDate, updateDate: createDate, remains: [] };
  };
  for (const minutes of [-10, 5, 30]) await old?.create(at(minutes));
  expect(await run()).toBe(true);
  expect(lines).toContain('        2 erasures');
  expect((await recovered?.list(7, 'erasure'))?.map(({ id, state, counts }) => [id, state, counts])).toEqual(
    [30, 5].map((minutes) => [at(minutes).id, 'running', {}]),
  );
  expect(await run()).toBe(true);
  expect(await recovered?.erasuresSince(0)).toHaveLength(2);
});

describe('recover --plan', () => {
  test('recover --plan changes nothing, and lists what is done and what remains', async () => {
    const { outcome, calls } = await outcomeWith(null);
    let states = 0;
    for (const at of [...calls.keys()].filter((key) => !isReading(calls[key] ?? '')))
      await outcomeWith({ at, how: 'after' }, async (ended) => {
        const state = stateIn(ended);
        const before = ended.calls.length;
        ended.lines.length = 0;
        expect(await ended.run(true)).toBe(true);
        expect(changesIn(ended.calls.slice(before))).toEqual([]);
        expect(stateIn(ended)).toEqual(state);
        expect(ended.lines.slice(1).every((line) => /^(done|to do) /.test(line))).toBe(true);
        expect(ended.lines).toHaveLength(11);
        states++;
      }).then((end) => expect(end.outcome).toEqual(outcome));
    expect(states).toBeGreaterThan(10);
  });

  test('lists all steps as pending before the first run', async () => {
    const { run, lines, calls } = drill();
    expect(await run(true)).toBe(true);
    expect(lines.slice(1).map((line) => line.slice(0, 22))).toEqual([
      'to do   check that the',
      'to do   recover the ta',
      'to do   enable TTL, po',
      'to do   close the APIs',
      'to do   disable 3 even',
      'to do   wait 60 s unti',
      'to do   repeat erasure',
      'to do   deploy the sta',
      'to do   enable 3 event',
      'to do   open the APIs:',
    ]);
    expect(changesIn(calls)).toEqual([]);
  });
});
