import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { clientOf, register } from '../fixtures/client.ts';
import { ADMIN_PASSWORD, PROVISIONING_KEY } from '../fixtures/cloud.ts';
import { fallMessage } from '../fixtures/home.ts';
import { type Assembly, type Resource, readAssembly } from './assembly.ts';
import { type Deployed, startDeployed } from './cloud.ts';

const whole = readAssembly(inject('assembly'));
const empty = mkdtempSync(join(tmpdir(), 'deployed-empty-'));
afterAll(() => rmSync(empty, { recursive: true }));

type Change = (id: string, resource: Resource) => boolean;

/** Returns the assembly without the resources for which `change` returns true. `change` may modify other resources. */
const without = (change: Change): Assembly => {
  const { Resources } = structuredClone(whole.template);
  const kept = Object.entries(Resources).filter(([id, resource]) => !change(id, resource));
  return { ...whole, template: { Resources: Object.fromEntries(kept) } };
};

type Function = { Environment: { Variables: Record<string, unknown> }; Code: { S3Key: string } };
const isFunction = (name: string, id: string, { Type }: Resource) =>
  Type === 'AWS::Lambda::Function' && new RegExp(`^${name}[0-9A-F]{8}$`).test(id);
const withoutVariable = (name: string, variable: string): Assembly =>
  without((id, resource) => {
    if (isFunction(name, id, resource)) delete (resource.Properties as Function).Environment.Variables[variable];
    return false;
  });

type Role = { Policies: { PolicyDocument: { Statement: { Action: string | string[] }[] } }[] };
const withoutGrant = (name: string, action: string): Assembly =>
  without((id, { Type, Properties }) => {
    if (Type !== 'AWS::IAM::Role' || !id.startsWith(`${name}role`)) return false;
    for (const { PolicyDocument } of (Properties as Role).Policies)
      for (const statement of PolicyDocument.Statement)
        statement.Action = [statement.Action].flat().filter((allowed) => allowed !== action);
    return false;
  });

const withoutCode = (name: string): Assembly => {
  const found = Object.entries(whole.template.Resources).filter(([id, resource]) => isFunction(name, id, resource));
  const keys = found.map(([, { Properties }]) => (Properties as Function).Code.S3Key);
  return { ...whole, assets: new Map([...whole.assets, ...keys.map((key) => [key, empty] as const)]) };
};

/** Returns the assembly without resources of these types that contain a word. */
const withoutAny = (types: readonly string[], word: string): Assembly =>
  without(
    (_, resource) => types.some((type) => resource.Type === `AWS::${type}`) && JSON.stringify(resource).includes(word),
  );

type RestApi = { Body: { paths: Record<string, Record<string, unknown>> } };

/** Returns the assembly without one method, or all methods, of an app API path. */
const withoutMethod = (path: string, method?: string): Assembly =>
  without((_, { Type, Properties }) => {
    if (Type !== 'AWS::ApiGateway::RestApi') return false;
    const { paths } = (Properties as RestApi).Body;
    if (method === undefined) delete paths[path];
    else delete paths[path]?.[method];
    return false;
  });

const withoutName = (name: string): Assembly =>
  without((id, resource) => {
    if (isFunction(name, id, resource)) resource.Properties = { ...resource.Properties, FunctionName: 'other' };
    return false;
  });

/**
 * Returns the assembly with a device API that invokes the function itself, but is only permitted to invoke the alias.
 */
const withoutAlias = (): Assembly => {
  const [devices = ''] =
    Object.entries(whole.template.Resources).find((entry) => isFunction('devices', ...entry)) ?? [];
  return without((_, resource) => {
    const IntegrationUri = { 'Fn::GetAtt': [devices, 'Arn'] };
    if (resource.Type === 'AWS::ApiGatewayV2::Integration')
      resource.Properties = { ...resource.Properties, IntegrationUri };
    return false;
  });
};

const withoutDependency = (): Assembly =>
  without((_, resource) => {
    if (resource.Type === 'AWS::ApiGateway::Deployment') delete resource.DependsOn;
    return false;
  });

type Cloud = Deployed & { complaints: () => string };
const within = async (assembly: Assembly, run: (cloud: Cloud) => Promise<void>): Promise<void> => {
  const first = { adminUsername: 'admin', adminPassword: ADMIN_PASSWORD, provisioningKey: PROVISIONING_KEY };
  const cloud = await startDeployed(assembly, { first });
  try {
    await run({ ...cloud, complaints: () => [...cloud.judge.denied, ...cloud.faults].join('\n') });
  } finally {
    await cloud.stop();
  }
};
const logIn = ({ url }: Cloud) =>
  clientOf(url).call('POST', '/users/login', { username: 'admin', password: ADMIN_PASSWORD });
const post = async ({ url }: Cloud) => {
  const { sensorId, deviceToken } = await register(clientOf(url), PROVISIONING_KEY, 'ABCDEF012345');
  return clientOf(url, deviceToken).call('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now()));
};

describe('a deployment', () => {
  test('accepts logins and device messages', () =>
    within(whole, async (cloud) => {
      expect((await logIn(cloud)).status).toBe(200);
      expect((await post(cloud)).status).toBe(202);
      await cloud.idle();
      expect(cloud.complaints()).toBe('');
    }));

  test.each([
    ['a table permission', withoutGrant('auth', 'dynamodb:GetItem'), logIn, 500, 'auth: dynamodb:GetItem table'],
    [
      'a queue permission',
      withoutGrant('devices', 'sqs:SendMessage'),
      post,
      503,
      'devices: sqs:SendMessage queue/events',
    ],
    ['the table name', withoutVariable('auth', 'TABLE_NAME'), logIn, 500, 'table sensor-cloud'],
    ['a queue URL', withoutVariable('devices', 'EVENTS_QUEUE_URL'), post, 503, ''],
    ['the function code', withoutCode('auth'), logIn, 502, 'auth: did not start'],
    ['an app API route', withoutMethod('/api/v1/users/login', 'post'), logIn, 502, 'no separate route'],
    [
      'any route for a path',
      withoutMethod('/api/v1/users/login'),
      logIn,
      502,
      'POST /api/v1/users/login has no separate route',
    ],
    ['a device API route', withoutAny(['ApiGatewayV2::Route'], '"postMessages"'), post, 500, 'no separate route'],
    ['an API stage', withoutAny(['ApiGatewayV2::Stage'], ''), post, 404, ''],
    ['a function name', withoutName('auth'), logIn, 502, 'which is not a function'],
    ['the dependency on a permission', withoutDependency(), logIn, 502, 'auth may not be invoked by'],
    ['the permission for the invoked function', withoutAlias(), post, 500, 'devices may not be invoked by'],
    ["an API's permission", withoutAny(['Lambda::Permission'], '"auth'), logIn, 502, 'auth may not be invoked by'],
  ])('fails visibly without %s', (_, assembly, call, status, complaint) =>
    within(assembly, async (cloud) => {
      const answer = await call(cloud).catch((error: Error) => error);
      const result = answer instanceof Error ? Number(/: (\d{3}) /.exec(answer.message)?.[1]) : answer.status;
      expect([result, cloud.complaints()]).toEqual([status, expect.stringContaining(complaint)]);
    }),
  );

  test('keeps accepted messages queued if the event source mapping is missing', () =>
    within(withoutAny(['Lambda::EventSourceMapping'], 'eventsqueue'), async (cloud) => {
      expect((await post(cloud)).status).toBe(202);
      await cloud.idle();
      expect('queues' in cloud.waiting && cloud.waiting.queues.events.stats().visible).toBe(1);
    }));

  test('does not read from a queue without permission', () =>
    within(withoutGrant('process', 'sqs:ReceiveMessage'), async (cloud) => {
      expect(cloud.complaints()).toContain('process: sqs:ReceiveMessage queue/events');
    }));

  test('runs no functions on a schedule without an EventBridge rule', () =>
    within(withoutAny(['Events::Rule'], ''), async ({ sweep, functions }) => {
      await sweep();
      expect(functions.filter((lambda) => lambda.started() > 0)).toEqual([]);
    }));

  test.each([
    'SQS::Queue',
    'DynamoDB::Table',
    'KMS::Key',
    'IAM::Role',
    'Lambda::Alias',
    'Lambda::Version',
    'SNS::Topic',
  ])('a stack without %s does not start', (type) =>
    expect(within(withoutAny([type], ''), async () => {})).rejects.toThrow(),
  );
});
