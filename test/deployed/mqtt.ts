import type { AuthorizerResponse } from '#functions/workers/authorizer/policy.ts';
import { createBroker } from '#lib/local/mqtt/broker.ts';
import { createSessions, createTurns } from '#lib/local/mqtt/sessions.ts';
import type { Log } from '#shared/observability/log.ts';
import type { Wiring } from './events.ts';
import type { DeployedFunction } from './functions.ts';
import { findRule, type Published, selectOf } from './iot-rule.ts';
import type { DeployedQueue } from './queues.ts';
import { permissionsOf } from './routes.ts';

/** The number of attempts for an asynchronous invocation. */
const ATTEMPTS = 3;

/** https://docs.aws.amazon.com/general/latest/gr/iot-core.html */
const MAX_PAYLOAD = 128 * 1_024;

type DomainConfiguration = { AuthenticationType: string; AuthorizerConfig: { DefaultAuthorizerName: string } };
type Authorizer = { AuthorizerFunctionArn: string; Status: string };

/** Returns the authorizer, which AWS IoT must be permitted to invoke. */
const authorizerOf = ({ account, functions }: Wiring): DeployedFunction => {
  const [configuration] = account.all<DomainConfiguration>('AWS::IoT::DomainConfiguration');
  const wanted = configuration?.AuthorizerConfig.DefaultAuthorizerName ?? '';
  const found = account.all<Authorizer>('AWS::IoT::Authorizer').find(({ id }) => account.ref(id) === wanted);
  const lambda = functions.get(found?.AuthorizerFunctionArn ?? '');
  if (configuration?.AuthenticationType !== 'CUSTOM_AUTH' || found?.Status !== 'ACTIVE' || !lambda)
    throw new Error('the template has no active authorizer');
  const { AuthorizerFunctionArn: arn, id } = found;
  if (permissionsOf(account, 'iot.amazonaws.com', arn, account.arnOf(id)).length === 0)
    throw new Error(`${lambda.name} may not be invoked by ${id}`);
  return lambda;
};

type WithDeadLetters = { DeadLetterConfig?: { TargetArn: string } };

const enqueue = (queues: readonly DeployedQueue[], arn: string, body: unknown): void => {
  const found = queues.find((queue) => queue.arn === arn);
  if (!found) throw new Error(`there is no queue ${arn} for failed messages`);
  found.queue.send({ body: JSON.stringify(body), groupId: 'iot', delaySeconds: 0 });
};

/** Invokes a function asynchronously. Retries failures, then sends the event to the function's dead-letter queue. */
const invokeAsync = async (options: Wiring, arn: string, event: unknown): Promise<void> => {
  const { account, functions, queues, judge, onError } = options;
  const lambda = functions.get(arn);
  if (!lambda) throw new Error(`${arn} is not a function`);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      await lambda.invoke(event);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) onError(error);
    }
  }
  const { DeadLetterConfig } = account.byArn<WithDeadLetters>('AWS::Lambda::Function', arn);
  const name = queues.find((queue) => queue.arn === DeadLetterConfig?.TargetArn)?.name;
  if (!judge.isAllowed(lambda.name, { action: 'sqs:SendMessage', resource: `queue/${name}` })) return;
  enqueue(queues, DeadLetterConfig?.TargetArn ?? '', event);
};

/** Returns the rule, which forwards device messages to a function, or else to the error action's queue. */
const ruleOf = (options: Wiring) => {
  const { account, queues } = options;
  const rule = findRule(account);
  return async (published: Published): Promise<void> => {
    const event = selectOf(rule.sql, published);
    if (!event) return;
    const isAllowed = permissionsOf(account, 'iot.amazonaws.com', rule.lambda, rule.arn).length > 0;
    if (isAllowed) return invokeAsync(options, rule.lambda, event);
    const { topic, payload } = published;
    const base64OriginalPayload = payload.toString('base64');
    const failures = [{ failedAction: 'LambdaAction', failedResource: rule.lambda, errorMessage: 'Access denied' }];
    enqueue(queues, rule.errorQueue, { ruleName: rule.name, topic, base64OriginalPayload, failures });
  };
};

/** Starts an account's AWS IoT Core with the authorizer and the rule from the template. */
export const startMqtt = async (options: Wiring, log: Log) => {
  const { clock } = options;
  const authorizer = authorizerOf(options);
  const forward = ruleOf(options);
  const sessions = createSessions(async (event) => (await authorizer.invoke(event)) as AuthorizerResponse, {
    clock,
    log,
  });
  const receive = async (event: {
    sensorId: string;
    principal?: string | undefined;
    payload: string;
  }): Promise<void> => {
    const payload = Buffer.from(event.payload, 'base64');
    if (payload.length > MAX_PAYLOAD) return;
    const topic = `v1/devices/${event.sensorId}/messages`;
    await forward({ topic, principal: event.principal ?? '', time: clock.now(), payload });
  };
  const broker = await createBroker(sessions, createTurns(receive, clock.now), log, null);
  return { publish: broker.publish, url: await broker.listen('127.0.0.1', 0), stop: broker.stop };
};
