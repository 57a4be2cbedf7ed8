import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consumers } from '#functions/index.ts';
import { createApp } from '#lib/aws/app.ts';
import { lambdas } from '#lib/aws/functions/lambdas.ts';
import { type Consumer, MAX_RECEIVES, visibilitySeconds } from '#shared/queue/consumer.ts';
import { isFifo, workQueues } from '#shared/queue/names.ts';
import { settingsFrom } from '#shared/runtime/env.ts';
import { variablesOf } from '#shared/settings/environment.ts';
import { tableDesign } from '#shared/store/table.ts';
import { emptyBundles, onlyTemplate, synthesised, whole } from '#test/fixtures/stack.ts';
import { apiCases } from './api-cases.ts';

// biome-ignore lint/suspicious/noExplicitAny: each test knows which part of the template it reads
type Properties = any;

const outdir = mkdtempSync(join(tmpdir(), 'stack-test-'));
let created: Awaited<ReturnType<typeof createApp>>;
let template: Template;
/** Returns the logical id for a contract name. */
let idOf: (name: string) => string;

beforeAll(async () => {
  const props = { outdir, ...onlyTemplate, context: whole };
  created = await createApp(props, async (_, folder) => emptyBundles(folder));
  ({ template, idOf } = synthesised(created.app, created.stack));
});
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

const all = (type: string): [string, Properties][] =>
  Object.entries(template.findResources(type)).map(([id, { Properties }]) => [id, Properties]);
const named = (type: string, name: string): Properties => all(type).find(([id]) => id === idOf(name))?.[1];
apiCases(() => ({ template, idOf }));

const arn = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

describe('permissions and environment', () => {
  const statementsOf = (name: string): Properties[] =>
    named('AWS::IAM::Role', `${name}-role`).Policies.flatMap(
      ({ PolicyDocument }: Properties) => PolicyDocument.Statement,
    );

  it('no function has a managed policy, a wildcard or Scan permission', () => {
    for (const { name } of lambdas) {
      expect(named('AWS::IAM::Role', `${name}-role`).ManagedPolicyArns).toBeUndefined();
      for (const { Effect, Action, Resource } of statementsOf(name)) {
        expect(Effect).toBe('Allow');
        // Device topics and export names are not known at deployment, and active alarms are found among all alarms.
        const unknown = /:alarm:\*"|:topic\/v1\/devices\/\*\/\w+"|(?<="exports[0-9A-F]{8}","Arn"\]},)"\/\*"/g;
        const written = JSON.stringify([Action, Resource]).replaceAll(unknown, '"');
        expect(written).not.toMatch(/\*|Scan/);
      }
    }
    expect(all('AWS::IAM::Policy')).toEqual([]);
  });

  it.each(lambdas)(
    '$name has exactly the variables for the declared capabilities, with valid values',
    ({ name, uses }) => {
      const { Variables } = named('AWS::Lambda::Function', name).Environment;
      const wanted = new Set(uses.flatMap(variablesOf));
      expect(Object.keys(Variables).sort()).toEqual([...wanted, 'NODE_OPTIONS'].sort());
      const plain = Object.entries(Variables).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : 'reference',
      ]);
      expect(() => settingsFrom(Object.fromEntries(plain))).not.toThrow();
    },
  );

  it('the stack passes cdk-nag (AwsSolutions), apart from acknowledged findings', () => {
    expect(new AwsSolutionsChecks().validateScope(created.app).violations).toEqual([]);
  });
});

describe('the queues', () => {
  const fifo = {
    FifoQueue: true,
    ContentBasedDeduplication: false,
    DeduplicationScope: 'messageGroup',
    FifoThroughputLimit: 'perMessageGroupId',
  };

  it.each(workQueues)('%s messages and their dead letters are kept for 14 days', (name) => {
    const reader = consumers.find(({ queues }: Consumer) => queues.some((queue) => queue === name)) as Consumer;
    const kept = { MessageRetentionPeriod: 14 * 86_400, SqsManagedSseEnabled: true };
    const kind = isFifo(name) ? { ...kept, ...fifo } : kept;
    expect(named('AWS::SQS::Queue', `${name}-queue`)).toEqual({
      ...kind,
      VisibilityTimeout: visibilitySeconds(reader),
      RedrivePolicy: { deadLetterTargetArn: arn(idOf(`${name}-dead`)), maxReceiveCount: MAX_RECEIVES },
    });
    expect(named('AWS::SQS::Queue', `${name}-dead`)).toEqual(kind);
  });

  it('quarantined messages are kept for 14 days', () => {
    const kept = { MessageRetentionPeriod: 14 * 86_400, SqsManagedSseEnabled: true };
    expect(named('AWS::SQS::Queue', 'quarantine')).toEqual(kept);
  });

  it('consumers report partial batch failures and have limited concurrency', () => {
    const wanted = consumers.flatMap(({ name, queues, batchSize, concurrency }: Consumer) =>
      queues.map((queue) => ({
        FunctionName: { Ref: idOf(name) },
        EventSourceArn: arn(idOf(`${queue}-queue`)),
        BatchSize: batchSize,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: concurrency },
      })),
    );
    const found = all('AWS::Lambda::EventSourceMapping').map(([, mapping]) => mapping);
    expect(found).toHaveLength(wanted.length);
    expect(found).toEqual(expect.arrayContaining(wanted));
  });

  it('a FIFO queue sends batches of at most ten messages, without a batching window', () => {
    const queues = workQueues.filter(isFifo).map((name) => arn(idOf(`${name}-queue`)));
    const mappings = all('AWS::Lambda::EventSourceMapping').filter(([, { EventSourceArn }]) =>
      queues.some((queue) => JSON.stringify(queue) === JSON.stringify(EventSourceArn)),
    );
    expect(mappings.length).toBe(queues.length);
    for (const [, mapping] of mappings) {
      expect(mapping.BatchSize).toBeLessThanOrEqual(10);
      expect(mapping).not.toHaveProperty('MaximumBatchingWindowInSeconds');
    }
  });
});

describe('the stack', () => {
  it('creates one table as designed in shared/store/table.ts, with point-in-time recovery', () => {
    const { partitionKey, sortKey, ttl, indexes } = tableDesign;
    const keys = (hash: string, range: string) => [
      { AttributeName: hash, KeyType: 'HASH' },
      { AttributeName: range, KeyType: 'RANGE' },
    ];
    const [[, table], ...others] = all('AWS::DynamoDB::Table') as [[string, Properties]];
    expect(others).toEqual([]);
    expect(table).toMatchObject({
      KeySchema: keys(partitionKey, sortKey),
      TimeToLiveSpecification: { AttributeName: ttl, Enabled: true },
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
    });
    expect(table.GlobalSecondaryIndexes).toEqual(
      Object.entries(indexes).map(([IndexName, index]) => ({
        IndexName,
        KeySchema: keys(index.partitionKey, index.sortKey),
        Projection: { ProjectionType: index.projection },
      })),
    );
    expect(table.AttributeDefinitions.every(({ AttributeType }: Properties) => AttributeType === 'S')).toBe(true);
  });

  it.each(lambdas)('runs $name on Node 24 on ARM', ({ name }) => {
    expect(named('AWS::Lambda::Function', name)).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'handler.handler',
      LoggingConfig: {
        LogGroup: { Ref: idOf(`${name}-logs`) },
        LogFormat: 'JSON',
        ApplicationLogLevel: 'INFO',
        SystemLogLevel: 'WARN',
      },
    });
  });
});
