import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it, test } from 'vitest';
import { consumers } from '#functions/index.ts';
import { addEventSources } from '#lib/aws/queues/consumers.ts';
import type { Queues } from '#lib/aws/queues/queues.ts';
import { stageFrom } from '#lib/aws/settings/stage.ts';
import { LEASE_SECONDS } from '#shared/domain/delivery/delivery.ts';
import type { Consumer } from '#shared/queue/consumer.ts';
import { isFifo, queueNames } from '#shared/queue/names.ts';
import { stackOf } from '#test/fixtures/stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is JSON of which each test knows its part
type Properties = any;

const contracts: readonly Consumer[] = consumers;

const found = (concurrency?: object) => {
  const { template, idOf } = stackOf({ mqtt: true, ...(concurrency && { concurrency }) });
  const functions: Record<string, Properties> = template.findResources('AWS::Lambda::Function');
  const mappings: Properties[] = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));
  return {
    /** Reservations by the names of functions. */
    reserved: Object.fromEntries(
      Object.values(functions)
        .filter(({ Properties }) => 'ReservedConcurrentExecutions' in Properties)
        .map(({ Properties }) => [Properties.Description.split(': ')[1], Properties.ReservedConcurrentExecutions]),
    ),
    /** What the queues of a consumer may take, each. */
    sharesOf: (name: string): number[] =>
      mappings
        .filter(({ Properties }) => Properties.FunctionName.Ref === idOf(name))
        .map(({ Properties }) => Properties.ScalingConfig.MaximumConcurrency),
  };
};

const all = { devices: 40, process: 9_000, deliver: 9_000, sweep: 2 };
const most = found(all);
/** Two for each queue, and something over that is too little for a third. */
const ofFalls = contracts.filter(({ name }) => name !== 'data-jobs');
const least = Object.fromEntries(ofFalls.map(({ name, queues }) => [name, 3 * queues.length - 1]));
const few = found({ ...least, sweep: 0 });
const none = found();

test.each([
  ['events', 20],
  ['timers', 20],
  ['deliveries', 30],
  ['retries', 30],
])('a process that is killed holds back what it has of %s for %d s at the most', (name, seconds) => {
  const { template, idOf } = stackOf({});
  const queue: Properties = template.findResources('AWS::SQS::Queue')[idOf(`${name}-queue`)];
  const [{ FunctionName } = { FunctionName: {} }] = Object.values(
    template.findResources('AWS::Lambda::EventSourceMapping'),
  )
    .map(({ Properties }: Properties) => Properties)
    .filter(({ EventSourceArn }) => EventSourceArn['Fn::GetAtt'][0] === idOf(`${name}-queue`));
  const { Timeout } = template.findResources('AWS::Lambda::Function')[FunctionName.Ref]?.Properties ?? {};
  expect(queue.Properties.VisibilityTimeout).toBeLessThanOrEqual(seconds);
  // Otherwise a second process works on it beside the first, and Lambda takes no such queue.
  expect(queue.Properties.VisibilityTimeout).toBeGreaterThan(Timeout);
  // Nor does its claim of a delivery hold for longer.
  expect(LEASE_SECONDS).toBeLessThanOrEqual(30);
});

describe('reserved concurrency', () => {
  it('is set by the stage, only for these functions; 0 reserves nothing', () => {
    expect([most.reserved, few.reserved, none.reserved]).toEqual([all, least, {}]);
  });

  it.each(ofFalls)('$name: its queues use at most what is reserved, and what its contract says', (consumer) => {
    const { name, queues, concurrency } = consumer;
    expect(few.sharesOf(name)).toEqual(queues.map(() => 2));
    for (const { sharesOf } of [most, none]) expect(sharesOf(name)).toEqual(queues.map(() => concurrency));
  });

  it.each(ofFalls)('$name: is refused when it is less than Lambda needs for its queues', ({ name, queues }) => {
    const stage = (reserved: number) => () =>
      stageFrom((key) => (key === 'concurrency' ? { [name]: reserved } : undefined));
    const enough = 2 * queues.length;
    expect(stage(enough - 1)).toThrow(`concurrency: ${name} needs ${enough} or more, or 0, for `);
    expect(stage(enough)).not.toThrow();
  });
});

describe('a consumer of a FIFO queue', () => {
  it('with a batch size above ten is refused', () => {
    const { stack } = stackOf({ mqtt: true });
    const fifo = contracts.find(({ queues }) => queues.some(isFifo)) as Consumer;
    const lambda = stack.node.findChild(fifo.name) as LambdaFunction;
    const queue = { queueArn: 'arn:aws:sqs:eu-central-1:123456789012:one.fifo' };
    const queues = Object.fromEntries(queueNames.map((name) => [name, queue])) as unknown as Queues;
    const stage = stageFrom(() => undefined);
    expect(() => addEventSources(lambda, { ...fifo, batchSize: 11 }, queues, stage)).toThrow(
      `${fifo.name} takes 11 messages at a time, but ${fifo.queues.find(isFifo)} is FIFO: 10 at most`,
    );
  });
});
