import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StackStatus } from '@aws-sdk/client-cloudformation';
import { App } from 'aws-cdk-lib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { BackendStack } from '#lib/aws/backend-stack.ts';
import { stageFrom } from '#lib/aws/settings/stage.ts';
import { createAccountClient } from '#lib/tools/aws/account.ts';
import { contextFrom } from '#lib/tools/aws/context.ts';
import { deploy, destroy } from '#lib/tools/aws/deploy.ts';
import { startAws } from '#test/fixtures/aws-server.ts';
import { cdkFrom } from '#test/fixtures/real-cdk.ts';
import { emptyBundles, onlyTemplate } from '#test/fixtures/stack.ts';

const STACK = 'SensorCloud-prod';
let folder: string;
let aws: Awaited<ReturnType<typeof startAws>>;
/** The deployed stage: `whole`, or `core` with few resources, because the CDK compares all of them every time. */
let out: 'whole' | 'core' = 'whole';
/** The stage templates, without indentation, as uploaded by the CDK. */
const templates = { whole: '', core: '' };
let kept: string;

type Resources = Record<string, { Type: string }>;
const coreTypes = ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::KMS::Key', 'AWS::CloudWatch::Alarm'];
const coreOf = (template: { Resources: Resources }) => {
  const core = coreTypes.map((type) => Object.entries(template.Resources).find(([, { Type }]) => Type === type) ?? []);
  return { ...template, Resources: Object.fromEntries(core) };
};
const select = (stage: typeof out): void => {
  out = stage;
  kept = templates[stage];
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'states-'));
  const app = new App({ outdir: join(folder, 'whole'), ...onlyTemplate });
  const settings: Record<string, string> = { stage: 'prod', alarmEmail: 'night@example.org' };
  const stage = stageFrom((key) => settings[key]);
  new BackendStack(app, STACK, { stage, bundles: emptyBundles(join(folder, 'code')) });
  const { template } = app.synth().getStackByName(STACK);
  const core = coreOf(template);
  cpSync(join(folder, 'whole'), join(folder, 'core'), { recursive: true });
  writeFileSync(join(folder, 'core', `${STACK}.template.json`), JSON.stringify(core));
  Object.assign(templates, { whole: JSON.stringify(template), core: JSON.stringify(core) });
  select('whole');
});
afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(async () => {
  aws = await startAws();
  aws.formation.put('CDKToolkit', 'CREATE_COMPLETE', '', { outputs: { BootstrapVersion: '32' } });
  for (const [name, value] of Object.entries(aws.env)) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await aws.close();
});

/** Runs a command against the stand-in. Returns the result, the printed text and the changes made. */
const run = async (command: 'deploy' | 'destroy', keepData = false) => {
  const lines: string[] = [];
  let now = 0;
  const output = join(folder, out);
  const tools = {
    account: createAccountClient({ region: 'eu-central-1', maxAttempts: 1 }),
    cdk: cdkFrom(output),
    say: (line: string) => void lines.push(line),
    now: () => now,
    pause: async (ms: number) => {
      now += ms;
      const stack = aws.formation.stacks.get(STACK);
      if (stack?.status === 'DELETE_IN_PROGRESS') aws.formation.stacks.delete(STACK);
      else if (stack) stack.status = stack.status.replace(/(_COMPLETE_CLEANUP)?_IN_PROGRESS$/, '_COMPLETE');
    },
    confirm: async () => true,
  };
  const deployment = { context: contextFrom('prod', []), folder: output };
  const before = aws.calls.length;
  const done =
    command === 'deploy'
      ? deploy(deployment, tools, ['--require-approval', 'never'])
      : destroy(deployment, keepData, tools);
  const result = await done.catch((error: Error) => error.message);
  return { result, text: lines.join('\n'), calls: aws.calls.slice(before) };
};
const stateNow = () => aws.formation.stacks.get(STACK)?.status ?? 'none';

const create = ['CreateChangeSet', 'UpdateTerminationProtection true', 'ExecuteChangeSet'];
const update = ['CreateChangeSet', 'ExecuteChangeSet'];
const remove = ['UpdateTerminationProtection false', 'DeleteStack'];

/** What each command changes for each state of a protected stack with `keepData`, and the state afterwards. */
const table: readonly [state: string, deploy: [string[], string] | RegExp, destroy: [string[], string] | RegExp][] = [
  ['none', [create, 'CREATE_COMPLETE'], /has no stack SensorCloud-prod in eu-central-1/],
  ['REVIEW_IN_PROGRESS', [update, 'CREATE_COMPLETE'], [remove, 'none']],
  ['CREATE_IN_PROGRESS', [update, 'UPDATE_COMPLETE'], /keeps its data/],
  ['CREATE_COMPLETE', [update, 'UPDATE_COMPLETE'], /keeps its data/],
  ['CREATE_FAILED', [[...remove, ...create], 'CREATE_COMPLETE'], [remove, 'none']],
  ['ROLLBACK_IN_PROGRESS', [[...remove, ...create], 'CREATE_COMPLETE'], [remove, 'none']],
  ['ROLLBACK_COMPLETE', [[...remove, ...create], 'CREATE_COMPLETE'], [remove, 'none']],
  ['ROLLBACK_FAILED', [[...remove, ...create], 'CREATE_COMPLETE'], [remove, 'none']],
  ['UPDATE_IN_PROGRESS', [update, 'UPDATE_COMPLETE'], /keeps its data/],
  ['UPDATE_COMPLETE_CLEANUP_IN_PROGRESS', [update, 'UPDATE_COMPLETE'], /keeps its data/],
  ['UPDATE_COMPLETE', [update, 'UPDATE_COMPLETE'], /keeps its data/],
  ['UPDATE_FAILED', [['RollbackStack', ...update], 'UPDATE_COMPLETE'], /keeps its data/],
  ['UPDATE_ROLLBACK_IN_PROGRESS', [update, 'UPDATE_COMPLETE'], /keeps its data/],
  ['UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS', [update, 'UPDATE_COMPLETE'], /keeps its data/],
  ['UPDATE_ROLLBACK_COMPLETE', [update, 'UPDATE_COMPLETE'], /keeps its data/],
  ['UPDATE_ROLLBACK_FAILED', [['ContinueUpdateRollback', ...update], 'UPDATE_COMPLETE'], /keeps its data/],
  ['DELETE_IN_PROGRESS', [create, 'CREATE_COMPLETE'], /has no stack SensorCloud-prod in eu-central-1/],
  ['DELETE_COMPLETE', [create, 'CREATE_COMPLETE'], /has no stack SensorCloud-prod in eu-central-1/],
  ['DELETE_FAILED', [['DeleteStack', ...create], 'CREATE_COMPLETE'], [['DeleteStack'], 'none']],
  ['IMPORT_IN_PROGRESS', [update, 'UPDATE_COMPLETE'], /keeps its data/],
  ['IMPORT_COMPLETE', [update, 'UPDATE_COMPLETE'], /keeps its data/],
  ['IMPORT_ROLLBACK_IN_PROGRESS', [update, 'UPDATE_COMPLETE'], /keeps its data/],
  ['IMPORT_ROLLBACK_COMPLETE', [update, 'UPDATE_COMPLETE'], /keeps its data/],
  ['IMPORT_ROLLBACK_FAILED', /resolve it in the CloudFormation console/, /resolve it in the CloudFormation console/],
  ['A_STATE_OF_THE_FUTURE', /resolve it in the CloudFormation console/, /resolve it in the CloudFormation console/],
];

/** Puts an earlier version's stack into a state. */
const putStack = (status: string): void => {
  if (status === 'none' || status === 'DELETE_COMPLETE') return;
  const body =
    status === 'REVIEW_IN_PROGRESS' ? '' : kept.replace('"Resources":', '"Description":"before","Resources":');
  aws.formation.put(STACK, status, body, { isProtected: status !== 'DELETE_FAILED' });
};

describe('every stack state', () => {
  beforeAll(() => select('core'));
  afterAll(() => select('whole'));

  test('the table of expected results covers every stack state', () => {
    const states = table.map(([state]) => state);
    expect(states.filter((state) => state !== 'none' && state !== 'A_STATE_OF_THE_FUTURE').sort()).toEqual(
      Object.values(StackStatus).sort(),
    );
  });

  test.each(table)('deploy ends with a deployed stage or refuses: %s', async (state, expected) => {
    putStack(state);
    const { result, calls, text } = await run('deploy');
    if (expected instanceof RegExp) return expect([result, calls]).toEqual([expect.stringMatching(expected), []]);
    expect([result, calls, stateNow()]).toEqual([true, ...expected]);
    expect(aws.formation.find(STACK).isProtected).toBe(true);
    // Every change beyond a deployment is announced.
    if (calls.includes('DeleteStack') || calls.some((call) => /Rollback/.test(call))) expect(text).toContain(` is in `);
    return undefined;
  });

  test.each(table)('destroy removes the stage or refuses: %s', async (state, _, expected) => {
    putStack(state);
    const { result, calls } = await run('destroy', true);
    if (expected instanceof RegExp) return expect([result, calls]).toEqual([expect.stringMatching(expected), []]);
    expect([result, calls, stateNow()]).toEqual([true, ...expected]);
    return undefined;
  });
});

describe('a first deployment', () => {
  const ids = () => Object.keys((JSON.parse(kept) as { Resources: object }).Resources);
  const tenths = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

  test.each(tenths)(
    'a first deployment that fails in decile %i of the resources succeeds when retried',
    async (tenth) => {
      const id = ids()[Math.floor(((tenth + 0.5) * ids().length) / 10)] ?? '';
      aws.formation.failing.push({ id, reason: 'Resource handler returned message: "quota exceeded"' });
      const failed = await run('deploy');
      expect([failed.result, failed.calls, stateNow()]).toEqual([false, create, 'ROLLBACK_COMPLETE']);
      expect(failed.text).toContain(`${id}: Resource handler returned message: "quota exceeded"`);
      expect(failed.text).toContain('Nothing runs yet.');
      const left = aws.formation.leftovers.map(({ type }) => type);
      expect(left.filter((type) => type !== 'AWS::DynamoDB::Table')).toEqual([]);
      expect(left.length).toBeLessThanOrEqual(1);
      const repeated = await run('deploy');
      expect([repeated.result, repeated.calls, stateNow()]).toEqual([true, [...remove, ...create], 'CREATE_COMPLETE']);
      expect(aws.formation.leftovers).toHaveLength(left.length);
    },
  );

  test('deploy ends by listing the active alarms and the unconfirmed subscription', async () => {
    const { result, text } = await run('deploy');
    expect(result).toBe(true);
    const said = text.slice(text.indexOf('Next:')).split('\n').slice(4);
    const active = said.filter((line) => line.startsWith('NOTE    active       The alarm '));
    expect(active.map((line) => /alarm ([\w-]+) is on: no datapoints were received$/.exec(line)?.[1])).toEqual([
      'canary-silent',
      'messages-absent',
      'sweep-silent',
      'alarms-unheard',
    ]);
    expect(said.slice(active.length)).toEqual([
      expect.stringMatching(/^NOTE {4}subscribers {2}Nobody is notified of alarms yet: night@example\.org must follow/),
    ]);
  });

  test('deploy retries when AWS was not ready for a resource', async () => {
    const id = ids().find((name) => name.startsWith('webacl')) ?? '';
    const reason = 'AWS WAF couldn’t retrieve the resource that you requested. Retry your request.';
    aws.formation.failing.push({ id, reason });
    const { result, calls, text } = await run('deploy');
    expect([result, calls]).toEqual([true, [...create, ...remove, ...create]]);
    expect(text).toContain('AWS was not ready yet');
    expect(text).toContain('Disabled the termination protection of SensorCloud-prod');
  });

  test('deploy gives up after three attempts if a resource is never ready', async () => {
    const [id = ''] = ids().slice(-1);
    for (let attempt = 0; attempt < 4; attempt++) aws.formation.failing.push({ id, reason: 'Rate exceeded' });
    const { result, calls } = await run('deploy');
    expect([result, calls.filter((call) => call === 'ExecuteChangeSet').length]).toEqual([false, 3]);
  });
});

describe('an update', () => {
  test('a failed update leaves the stage unchanged and reports what failed', async () => {
    putStack('CREATE_COMPLETE');
    const before = aws.formation.find(STACK).body;
    aws.formation.failing.push({ id: 'Table', reason: 'one index at a time' });
    const { result, text } = await run('deploy');
    expect([result, stateNow(), aws.formation.find(STACK).body]).toEqual([false, 'UPDATE_ROLLBACK_COMPLETE', before]);
    expect(text).toMatch(/Table: one index at a time\n.*rolled the changes back.*the stage runs as before/);
  });

  test('continues a failed rollback, and stops when it fails again', async () => {
    putStack('UPDATE_ROLLBACK_FAILED');
    // The CDK itself makes several attempts.
    for (let time = 0; time < 20; time++) aws.formation.failing.push({ id: 'alarm', reason: 'the alarm is on' });
    const { result, calls, text } = await run('deploy');
    expect([result, [...new Set(calls)], stateNow()]).toEqual([
      false,
      ['ContinueUpdateRollback'],
      'UPDATE_ROLLBACK_FAILED',
    ]);
    expect(text).toMatch(/alarm: the alarm is on[\s\S]*continue-update-rollback --stack-name SensorCloud-prod/);
  });
});

describe('a deletion', () => {
  const bucket = 'sensorcloud-prod-exports';
  const putDeletable = (status = 'CREATE_COMPLETE') => {
    const body = kept.replaceAll(/"DeletionPolicy":"Retain(ExceptOnCreate)?"/g, '"DeletionPolicy":"Delete"');
    const stack = aws.formation.put(STACK, status, body);
    const exports = stack.resources.find(({ type }) => type === 'AWS::S3::Bucket');
    if (exports) exports.name = bucket;
    aws.buckets.set(
      bucket,
      new Map([
        ['a.zip', ''],
        ['b.json', ''],
      ]),
    );
  };

  test('destroy empties the exports bucket', async () => {
    putDeletable();
    const { result, text } = await run('destroy');
    expect([result, stateNow(), aws.buckets.get(bucket)?.size]).toEqual([true, 'none', 0]);
    expect(text).toContain(`Deleted 2 objects of the bucket ${bucket}.`);
  });

  test('destroy keeps the objects in a retained bucket', async () => {
    aws.buckets.set(bucket, new Map([['a.zip', '']]));
    putStack('DELETE_FAILED');
    for (const resource of aws.formation.find(STACK).resources)
      if (resource.type === 'AWS::S3::Bucket') resource.name = bucket;
    const { result, text } = await run('destroy', true);
    expect([result, aws.buckets.get(bucket)?.size]).toEqual([true, 1]);
    expect(text).toContain(`AWS::S3::Bucket ${bucket}`);
  });

  test('destroy reports what blocks it, and continues once that is resolved', async () => {
    putDeletable();
    const [{ id } = { id: '' }] = aws.formation.find(STACK).resources.filter(({ type }) => type === 'AWS::KMS::Key');
    aws.formation.undeletable.set(id, 'the key is in use');
    const { result, text } = await run('destroy');
    expect([result, stateNow()]).toEqual([false, 'DELETE_FAILED']);
    expect(text).toMatch(new RegExp(`the key is in use[\\s\\S]*--retain-resources ${id}`));
    aws.formation.undeletable.clear();
    expect([(await run('destroy')).result, stateNow()]).toEqual([true, 'none']);
  });

  test('destroy refuses a stage with termination protection', async () => {
    putDeletable();
    aws.formation.protect(STACK, true);
    expect(await run('destroy')).toMatchObject({ result: expect.stringMatching(/^Somebody enabled/), calls: [] });
  });

  test("deploy refuses an empty stage while a half-deleted stage's table still holds data", async () => {
    putStack('DELETE_FAILED');
    aws.formation.find(STACK).outputs = { TableName: 'SensorCloud-prod-Table1', KeyArn: 'arn:key' };
    const { result, calls } = await run('deploy');
    expect([result, calls]).toEqual([expect.stringContaining('-c tableName=SensorCloud-prod-Table1'), []]);
  });
});
