import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { createCrash } from '#test/fixtures/crash.ts';
import { createAlarm } from '#test/fixtures/home.ts';
import { createPeopleWorld } from '#test/fixtures/people.ts';

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
let receiver: Receiver;
const crash = createCrash();
let status = 200;
beforeAll(async () => {
  world = await createPeopleWorld(crash.options);
  receiver = await startReceiver((_, response) => {
    response.writeHead(status).end();
  });
});
afterAll(async () => {
  await world.stop();
  await receiver.stop();
});
beforeEach(() => {
  status = 200;
  world.sentMessages.length = 0;
});

/**
 * A home where Anna's and Ben's channels no longer exist, so that deliveries to them fail at once. Cem still has his.
 */
const furnish = async () => {
  const home = await world.furnish();
  const anna = await home.hire('Anna', { sms: '+491701234567' });
  const ben = await home.hire('Ben', { sms: '+491701234568' });
  const cem = await home.hire('Cem', { email: `cem@${home.customerId}.example.com` });
  const dora = await home.hire('Dora', { email: `dora@${home.customerId}.example.com` });
  const by = (user: { id: number }) => ({ userId: user.id, by: user === anna || user === ben ? 'sms' : 'email' });
  const unreach = async () => {
    for (const { client } of [anna, ben]) await client.ok('DELETE', '/users/me/channels/sms');
  };
  const steps = async () => (await home.hits())[0]?.ruleMessages.map(({ step, wasSend }) => [step, wasSend]);
  /** The names of the people notified in this home. */
  const sentTo = () =>
    world.sentMessages.flatMap(({ to }) => (to.endsWith(`@${home.customerId}.example.com`) ? to.split('@')[0] : []));
  return { ...home, anna, ben, cem, dora, by, unreach, steps, sentTo };
};
const HOUR_SECONDS = 3_600;

test('the next step runs at once if the deliveries to the first recipients have failed', async () => {
  const { rule, fall, anna, ben, cem, dora, by, unreach, steps, sentTo } = await furnish();
  await rule([by(anna), by(ben)], {
    escalation: [
      { afterSeconds: HOUR_SECONDS, recipients: [by(cem)] },
      { afterSeconds: 2 * HOUR_SECONDS, recipients: [by(dora)] },
    ],
  });
  await unreach();
  await fall();
  await world.pass(3_000);
  // The step reaches someone, so the next step is due as planned.
  expect(sentTo()).toEqual(['cem']);
  expect(await steps()).toEqual([
    [0, false],
    [0, false],
    [1, true],
  ]);
});

test('all steps run at once if all deliveries fail', async () => {
  const { rule, fall, anna, ben, cem, by, unreach, steps, hits, sentTo } = await furnish();
  await rule([by(anna)], {
    escalation: [
      { afterSeconds: HOUR_SECONDS, recipients: [by(ben), by(anna)] },
      { afterSeconds: 2 * HOUR_SECONDS, recipients: [by(cem)] },
    ],
  });
  await unreach();
  await fall();
  for (let second = 0; second < 4; second++) await world.pass(3_000);
  expect(sentTo()).toEqual(['cem']);
  expect(await steps()).toEqual([
    [0, false],
    [1, false],
    [1, false],
    [2, true],
  ]);
  expect((await hits())[0]?.nobodyOnDuty).toBe(false);
});

test('the next step runs on schedule if the round may have reached someone', async () => {
  const { rule, fall, anna, cem, dora, by, unreach, sentTo } = await furnish();
  const escalation = [{ afterSeconds: HOUR_SECONDS, recipients: [by(dora)] }];
  await rule([by(anna), by(cem)], { escalation });
  await unreach();
  await fall();
  await world.pass(10_000);
  expect(sentTo()).toEqual(['cem']);
  world.sentMessages.length = 0;
  world.answerWith(({ to }) => {
    if (to.startsWith('cem@')) throw new Error('busy');
  });
  await fall();
  await world.pass(10_000);
  expect(sentTo()).toEqual([]);
  world.answerWith(() => {});
});

test('an acknowledged hit is not escalated even if the deliveries fail', async () => {
  const { rule, fall, hits, client, customerId, anna, cem, by, unreach, sentTo } = await furnish();
  world.answerWith(({ by: channel }) => {
    if (channel === 'sms') throw new Error('busy');
  });
  await rule([by(anna)], { escalation: [{ afterSeconds: HOUR_SECONDS, recipients: [by(cem)] }] });
  await fall();
  await client.ok('PUT', `/customers/${customerId}/rule-hits/${(await hits())[0]?.id}/acknowledgement`, {});
  await unreach();
  await world.pass(60_000);
  await world.pass(10_000);
  expect(sentTo()).toEqual([]);
  world.answerWith(() => {});
});

test('the next step runs at once if all webhooks have failed', async () => {
  const { rule, fall, client, cem, by, sentTo } = await furnish();
  const first = await createAlarm(client, receiver.url, 'apnea', { retrySchedule: [0] });
  const second = await createAlarm(client, receiver.url, 'apnea', { retrySchedule: [0] });
  const recipientOf = ({ bot, webhook }: typeof first) => ({ botId: bot.id, webhookId: webhook.id });
  await rule([recipientOf(first), recipientOf(second)], {
    escalation: [{ afterSeconds: HOUR_SECONDS, recipients: [by(cem)] }],
  });
  status = 500;
  await client.ok('DELETE', `/webhooks/${second.webhook.id}?force=true`);
  await fall();
  await world.pass(3_000);
  expect(sentTo()).toEqual(['cem']);
});

test.each(['deliver.recorded', 'escalate.written'] as const)(
  'each step runs at once after a failed round, despite a crash at %s',
  async (place) => {
    const { rule, fall, anna, ben, cem, by, unreach, sentTo } = await furnish();
    await rule([by(anna)], {
      escalation: [
        { afterSeconds: HOUR_SECONDS, recipients: [by(ben)] },
        { afterSeconds: 2 * HOUR_SECONDS, recipients: [by(cem)] },
      ],
    });
    await unreach();
    crash.at(place);
    await fall();
    for (let pass = 0; pass < 5; pass++) await world.pass(20_000);
    expect(crash.isOver()).toBe(true);
    expect(sentTo()).toEqual(['cem']);
  },
);
