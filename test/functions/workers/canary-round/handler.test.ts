import { describe, expect, test } from 'vitest';
import { runRound } from '#functions/workers/canary-round/handler.ts';
import { createCanaryWorld } from '#test/fixtures/canary.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const DAY = 86_400_000;

/** A canary whose falls arrive after `arrivesAfter` (ms); null if never. */
const createWorld = async (arrivesAfter: number | null = 1_000) => {
  let status = 200;
  let after = arrivesAfter;
  const world = await createCanaryWorld(async ({ call, body: { payload, uuid } }) => {
    if (call.startsWith('GET')) return status;
    const { status: fall } = payload as { status: string };
    if (fall === 'calling' && after !== null)
      await world.its.canary.completeRound(String(uuid), world.deps.now() + after);
    return status;
  });
  const { its, deps, service, logged } = world;
  return {
    ...world,
    run: () => runRound(deps),
    respondWith: (code: number) => {
      status = code;
    },
    arriveAfter: (ms: number | null) => {
      after = ms;
    },
    falls: () => service.calls.filter(({ call }) => call.startsWith('POST')),
    heartbeats: () => service.calls.filter(({ call }) => call.startsWith('GET')).map(({ call }) => call),
    messages: () => logged.map(([level, message]) => `${level}: ${message}`),
    webhook: async () => {
      const { customerId = 0 } = (await its.canary.setup()) ?? {};
      const [webhook] = await its.webhooks.list(customerId);
      if (!webhook) throw new Error('the canary has no webhook');
      return webhook;
    },
  };
};

describe('a test fall', () => {
  test('the device API gets a fall from the canary sensor, and then its end', async () => {
    const { its, run, falls } = await createWorld();
    await run();
    const { sensorId } = (await its.canary.setup()) ?? {};
    const token = (await its.canary.setup())?.deviceToken.split('|')[1];
    const [fall, end, ...more] = falls();
    expect(more).toEqual([]);
    for (const sent of [fall, end]) {
      expect(sent?.call).toBe(`POST /api/v1/devices/${sensorId}/messages`);
      expect(sent?.headers).toMatchObject({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
    }
    const payload = { timestamp: NOW, isSimulated: false, isLearning: false, isSilent: false };
    expect(fall?.body).toEqual({
      type: 5,
      uuid: (await its.canary.round())?.uuid,
      payload: { ...payload, status: 'calling', statusUpdateTimestamp: NOW },
    });
    expect(end?.body).toEqual({
      type: 5,
      uuid: expect.not.stringMatching(String(fall?.body.uuid)),
      payload: { ...payload, status: 'finished', statusUpdateTimestamp: NOW + 1 },
    });
  });

  test('the time until its delivery is measured and logged', async () => {
    const { its, run, measured, logged } = await createWorld(1_000);
    await run();
    expect(measured).toEqual([['CanaryTime', 1_000]]);
    const details = { uuid: (await its.canary.round())?.uuid, ms: 1_000 };
    expect(logged).toEqual([['info', 'the fall of the canary was delivered', details]]);
  });

  test('a delivery before the response of the device API counts as immediate', async () => {
    const { run, measured } = await createWorld(-5);
    await run();
    expect(measured).toEqual([['CanaryTime', 0]]);
  });

  test('a fall that is not delivered within 30 s is reported, and still ended', async () => {
    const { deps, run, set, service, measured, messages, falls, heartbeats } = await createWorld(null);
    set({ HEARTBEAT_URL: `${service.url}/ping` });
    let pauses = 0;
    const { pause } = deps;
    deps.pause = async (ms) => {
      pauses += 1;
      await pause(ms);
    };
    await run();
    expect([measured, heartbeats(), messages()]).toEqual([
      [],
      [],
      ['error: the fall of the canary was not delivered in time'],
    ]);
    expect([deps.now() - NOW, pauses]).toEqual([30_000, 120]);
    expect(falls().map(({ body }) => (body.payload as { status: string }).status)).toEqual(['calling', 'finished']);
  });

  test('a delivery is noticed as soon as it arrives', async () => {
    const { its, deps, run, measured } = await createWorld(null);
    const { pause } = deps;
    deps.pause = async (ms) => {
      await pause(ms);
      if (deps.now() === NOW + 500) await its.canary.completeRound((await its.canary.round())?.uuid ?? '', NOW + 400);
    };
    await run();
    expect([measured, deps.now()]).toEqual([[['CanaryTime', 400]], NOW + 500]);
  });

  test('an earlier fall that arrives late does not count for this one', async () => {
    const { its, run, measured } = await createWorld(null);
    const { round } = its.canary;
    its.canary.round = async () => {
      const found = await round();
      return found && { ...found, uuid: 'another round', back: NOW };
    };
    await run();
    expect(measured).toEqual([]);
  });

  test('a device API that fails ends the round', async () => {
    const { run, respondWith, falls } = await createWorld();
    respondWith(503);
    await expect(run()).rejects.toThrow('the device API responded 503');
    expect(falls()).toHaveLength(1);
  });

  test('devices can have a separate address', async () => {
    const { deps, run, set, service, falls } = await createWorld();
    const publicUrl = 'https://cloud.example.org';
    set({ PUBLIC_URL: publicUrl, DEVICE_URL: service.url });
    await run();
    expect([falls().length, (await deps.store.canary.setup())?.url]).toEqual([2, `${publicUrl}/api/v1/canary`]);
  });
});

describe('the home of the canary', () => {
  test('each round uses the same home', async () => {
    const { its, run } = await createWorld();
    await run();
    const before = await its.canary.setup();
    await run();
    expect(await its.canary.setup()).toEqual(before);
  });

  test('a new public address needs a new home', async () => {
    const { its, run, set, service } = await createWorld();
    await run();
    const before = await its.canary.setup();
    set({ PUBLIC_URL: service.url.replace('127.0.0.1', 'localhost'), DEVICE_URL: service.url });
    await run();
    const after = await its.canary.setup();
    expect(after?.customerId).toBeGreaterThan(before?.customerId ?? 0);
    expect(after?.url).toMatch(/^http:\/\/localhost:/);
  });

  test('a disabled webhook is enabled if the last fall did not arrive', async () => {
    const { its, run, arriveAfter, webhook, messages } = await createWorld(null);
    await run();
    await its.health.disable(await webhook(), NOW, 'failing', null);
    arriveAfter(0);
    await run();
    expect((await webhook()).isEnabled).toBe(true);
    expect(messages()).toContain('warn: the webhook of the canary was enabled again');
  });

  test('a webhook that an operator disabled stays disabled while falls arrive', async () => {
    const { its, run, webhook } = await createWorld();
    await run();
    await its.health.disable(await webhook(), NOW, 'failing', null);
    await run();
    expect((await webhook()).isEnabled).toBe(false);
  });
});

describe('the heartbeat', () => {
  test('the heartbeat URL is called after each delivery', async () => {
    const { run, set, service, heartbeats } = await createWorld();
    set({ HEARTBEAT_URL: `${service.url}/ping` });
    await run();
    await run();
    expect(heartbeats()).toEqual(['GET /ping', 'GET /ping']);
  });

  test('a heartbeat URL that cannot be reached is logged, and the round goes on', async () => {
    const { run, set, messages, falls } = await createWorld();
    set({ HEARTBEAT_URL: 'http://127.0.0.1:1/ping' });
    await run();
    expect(messages()).toContain('warn: the heartbeat URL could not be called');
    expect(falls()).toHaveLength(2);
  });

  test('a host without a heartbeat URL calls nothing', async () => {
    const { run, messages } = await createWorld();
    await run();
    expect(messages()).toEqual(['info: the fall of the canary was delivered']);
  });
});

describe('the daily email to the operator', () => {
  const withOperator = async () => {
    const world = await createWorld(0);
    world.set({ OPERATOR_EMAIL: 'operator@example.org' });
    return world;
  };

  test('the operator gets an email with the first round, and the next a day later', async () => {
    const { run, mails, pass, service } = await withOperator();
    await run();
    const subject = 'Daily test email: Sensor Cloud';
    expect(mails).toEqual([
      ['operator@example.org', subject, expect.stringContaining(`Sensor Cloud (${service.url})`)],
    ]);
    pass(DAY - 1);
    await run();
    expect(mails).toHaveLength(1);
    pass(1);
    await run();
    expect(mails).toHaveLength(2);
  });

  test('an email dated in the future, from before the clock was set back, does not delay the next', async () => {
    const { run, mails, pass } = await withOperator();
    await run();
    pass(-DAY);
    await run();
    expect(mails).toHaveLength(2);
  });

  test('an email that could not be sent is sent with the next round', async () => {
    const { deps, run, mails } = await withOperator();
    const { mail } = deps;
    deps.mail = async () => {
      throw new Error('the mail service is down');
    };
    await expect(run()).rejects.toThrow('the mail service is down');
    deps.mail = mail;
    await run();
    expect(mails).toHaveLength(1);
  });

  test('a host without an operator sends none', async () => {
    const { run, mails, its } = await createWorld(0);
    await run();
    expect([mails, (await its.canary.round())?.mailed]).toEqual([[], undefined]);
  });
});
