import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import policy from '#lib/aws/deployer-policy.json' with { type: 'json' };
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { createAdminWithPassword } from '#lib/tools/admin.ts';
import { createTrace, type TraceSubject } from '#lib/tools/trace/trace.ts';
import { store } from '#shared/store/store.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';
import { allowingStatement, type Condition, isLike, likeKeys, type Statement } from '#test/fixtures/iam.ts';
import { onEachRequest, type TableAccess } from '#test/fixtures/table-calls.ts';

const shortNameOf = (arn: string): string => (arn.endsWith('/index/*') ? 'table/index/list' : 'table');
const allowed = policy.Statement.filter((statement) => JSON.stringify(statement).includes('dynamodb:LeadingKeys')).map(
  ({ Action, Resource, Condition }): Statement => ({
    actions: [Action].flat(),
    resources: [Resource].flat().map(shortNameOf),
    conditions: Condition as Condition,
  }),
);
/** Returns the grant that allows an access, as an action and a key pattern, or undefined if there is none. */
const grantOf = ({ action, index, pk }: TableAccess): string | undefined => {
  const resource = index === null ? 'table' : `table/index/${index}`;
  const statement = allowingStatement(allowed, { action, resource, keys: [pk] });
  const pattern = statement && likeKeys(statement).find((keys) => isLike(pk, keys));
  return pattern && `${action} ${pattern}`;
};
const used = new Set<string>();
let isToolRunning = false;
let cloud: Cloud;
let receiver: Receiver;

const refusal = {
  statusCode: 400,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: Readable.from([JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException' })]),
};

beforeAll(async () => {
  receiver = await startReceiver();
  cloud = await startTestCloud({
    onClient: (client) =>
      onEachRequest(client, (accesses) => {
        if (!isToolRunning) return undefined;
        const grants = accesses.map(grantOf);
        for (const grant of grants) if (grant !== undefined) used.add(grant);
        return grants.includes(undefined) ? refusal : undefined;
      }),
  });
});
afterAll(() => Promise.all([cloud.stop(), receiver.stop()]));

/** Runs a tool with only the policy's permissions. */
const asDeployer = async <T>(run: () => Promise<T>): Promise<T> => {
  isToolRunning = true;
  try {
    return await run();
  } finally {
    isToolRunning = false;
  }
};

test('the deployer policy allows exactly what trace and admin do with the table', async () => {
  const home = await createHome(await adminOf(cloud.url), 'policy', ALL_PERMISSIONS);
  const sensor = await linkSensor(home.client);
  const { webhook } = await createAlarm(home.client, receiver.url);
  await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('calling', Date.now()));
  await receiver.until(1);
  await cloud.idle();
  const { table } = cloud.runtime;
  const events = await store(table).events.list(home.customerId, sensor.sensorId, Date.now(), { page: 0, perPage: 10 });
  const { uuid = '' } = events.data.find(({ action }) => action === 'fall_detected') ?? {};
  const delivery = receiver.received[0]?.headers['webhook-id'];
  const known = { customerId: home.customerId, sensorId: sensor.sensorId, webhookId: webhook.id };
  const subjects: TraceSubject[] = [
    { kind: 'event', id: uuid, known: {} },
    { kind: 'event', id: uuid, known },
    { kind: 'delivery', id: String(delivery), known: {} },
    { kind: 'delivery', id: String(delivery), known },
  ];
  for (const subject of subjects) {
    const { steps } = await asDeployer(() => createTrace(table, subject, Date.now()));
    expect(steps.length).toBeGreaterThan(0);
  }
  await asDeployer(() => createAdminWithPassword(table, 'first'));
  const grants = allowed.flatMap((statement) =>
    statement.actions.flatMap((action) => likeKeys(statement).map((keys) => `${action} ${keys}`)),
  );
  expect([...used].sort()).toEqual(grants.sort());
  // Passwords, sessions and second factors are not readable, nor are the keys for links and push messages.
  for (const pk of ['ACCOUNT#1', 'SESSION#1', 'PUSH_KEY', 'ADDRESS_KEY'])
    for (const action of ['dynamodb:GetItem', 'dynamodb:Query'])
      expect(grantOf({ action, index: null, pk })).toBeUndefined();
});
