import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it, test } from 'vitest';
import { consumers } from '#functions/index.ts';
import { NOTHING_RESERVED } from '#lib/aws/queues/concurrency.ts';
import { addEventSources } from '#lib/aws/queues/consumers.ts';
import type { Queues } from '#lib/aws/queues/queues.ts';
import { stageFrom } from '#lib/aws/settings/stage.ts';
import { LEASE_SECONDS } from '#shared/domain/delivery/delivery.ts';
import type { Consumer } from '#shared/queue/consumer.ts';
import { isFifo, queueNames } from '#shared/queue/names.ts';
import { stackOf } from '#test/fixtures/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: each test knows which part of the template it reads
type Properties = any;

const contracts: readonly Consumer[] = consumers;

const stackWith = (concurrency?: object) => {
  const { template, idOf } = stackOf({ mqtt: true, ...(concurrency && { concurrency }) });
  const functions: Record<string, Properties> = template.findResources('AWS::Lambda::Function');
  const mappings: Properties[] = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));
  return {
    /** Reservations by function name. */
    reserved: Object.fromEntries(
      Object.values(functions)
        .filter(({ Properties }) => 'ReservedConcurrentExecutions' in Properties)
        .map(({ Properties }) => [Properties.Description.split(': ')[1], Properties.ReservedConcurrentExecutions]),
    ),
    /** Returns the maximum concurrency per consumer queue. */
    sharesOf: (name: string): number[] =>
      mappings
        .filter(({ Properties }) => Properties.FunctionName.Ref === idOf(name))
        .map(({ Properties }) => Properties.ScalingConfig.MaximumConcurrency),
  };
};

const generous = { devices: 40, process: 9_000, deliver: 9_000, sweep: 2 };
const large = stackWith(generous);
/** Two for each queue, and a remainder too small for a third. */
const reservable = contracts.filter(({ name }) => name in NOTHING_RESERVED);
const minimal = Object.fromEntries(reservable.map(({ name, queues }) => [name, 3 * queues.length - 1]));
const small = stackWith({ ...minimal, sweep: 0 });
const none = stackWith();

test.each([
  ['events', 20],
  ['timers', 20],
  ['deliveries', 30],
  ['retries', 30],
])('%s messages received by a killed process become visible again within %d s', (name, seconds) => {
  const { template, idOf } = stackOf({});
  const queue: Properties = template.findResources('AWS::SQS::Queue')[idOf(`${name}-queue`)];
  const [{ FunctionName } = { FunctionName: {} }] = Object.values(
    template.findResources('AWS::Lambda::EventSourceMapping'),
  )
    .map(({ Properties }: Properties) => Properties)
    .filter(({ EventSourceArn }) => EventSourceArn['Fn::GetAtt'][0] === idOf(`${name}-queue`));
  const { Timeout } = template.findResources('AWS::Lambda::Function')[FunctionName.Ref]?.Properties ?? {};
  expect(queue.Properties.VisibilityTimeout).toBeLessThanOrEqual(seconds);
  // Otherwise, a second process could handle a message concurrently, and Lambda rejects such a queue.
  expect(queue.Properties.VisibilityTimeout).toBeGreaterThan(Timeout);
  // A delivery lease does not last longer either.
  expect(LEASE_SECONDS).toBeLessThanOrEqual(30);
});

describe('reserved concurrency', () => {
  it('reserved concurrency follows the stage setting, and 0 reserves nothing', () => {
    expect([large.reserved, small.reserved, none.reserved]).toEqual([generous, minimal, {}]);
  });

  it('reserved concurrency caps exactly the functions that falls do not depend on', () => {
    const caps = { feed: 100, console: 50, 'personal-data': 20 };
    const { template } = stackOf({ mqtt: true, concurrencyCaps: caps, concurrency: { devices: 40 } });
    const functions: Properties[] = Object.values(template.findResources('AWS::Lambda::Function'));
    const reserved = functions.filter(({ Properties }) => 'ReservedConcurrentExecutions' in Properties);
    expect(
      Object.fromEntries(
        reserved.map(({ Properties }) => [
          Properties.Description.split(': ')[1],
          Properties.ReservedConcurrentExecutions,
        ]),
      ),
    ).toEqual({ ...caps, devices: 40 });
    for (const name of ['devices', 'process', 'deliver'])
      expect(() => stageFrom((key) => (key === 'concurrencyCaps' ? { [name]: 10 } : undefined))).toThrow(
        /concurrencyCaps/,
      );
  });

  it.each(reservable)('reserved concurrency limits the queues of $name as stated in the contract', (consumer) => {
    const { name, queues, concurrency } = consumer;
    expect(small.sharesOf(name)).toEqual(queues.map(() => 2));
    for (const { sharesOf } of [large, none]) expect(sharesOf(name)).toEqual(queues.map(() => concurrency));
  });

  it.each(reservable)('a value below the Lambda minimum for the queues of $name is rejected', ({ name, queues }) => {
    const stage = (reserved: number) => () =>
      stageFrom((key) => (key === 'concurrency' ? { [name]: reserved } : undefined));
    const enough = 2 * queues.length;
    expect(stage(enough - 1)).toThrow(`concurrency: ${name} must be 0 or at least ${enough}, because `);
    expect(stage(enough)).not.toThrow();
  });
});

describe('a FIFO queue consumer', () => {
  it('rejects a batch size above ten', () => {
    const { stack } = stackOf({ mqtt: true });
    const fifo = contracts.find(({ queues }) => queues.some(isFifo)) as Consumer;
    const lambda = stack.node.findChild(fifo.name) as LambdaFunction;
    const queue = { queueArn: 'arn:aws:sqs:eu-central-1:123456789012:one.fifo' };
    const queues = Object.fromEntries(queueNames.map((name) => [name, queue])) as unknown as Queues;
    const stage = stageFrom(() => undefined);
    expect(() => addEventSources(lambda, { ...fifo, batchSize: 11 }, queues, stage)).toThrow(
      `${fifo.name} has a batch size of 11, but the FIFO queue ${fifo.queues.find(isFifo)} allows 10 at most`,
    );
  });
});
