import type { Rights } from '#functions/workers/authorizer/rights.ts';
import { createBroker } from '#lib/local/mqtt/broker.ts';
import { createSessions, createTurns } from '#lib/local/mqtt/sessions.ts';
import type { Log } from '#shared/observability/log.ts';
import type { Wiring } from './events.ts';
import type { DeployedFunction } from './functions.ts';
import { findRule, type Published, selectOf } from './iot-rule.ts';
import type { Made } from './queues.ts';
import { permissionsOf } from './routes.ts';

/** A function that is called for good without an answer is called so often before it is given up. */
const ATTEMPTS = 3;
/** https://docs.aws.amazon.com/general/latest/gr/iot-core.html */
const PAYLOAD = 128 * 1_024;

type DomainConfiguration = { AuthenticationType: string; AuthorizerConfig: { DefaultAuthorizerName: string } };
type Authorizer = { AuthorizerFunctionArn: string; Status: string };

/** The function that is asked who may connect; AWS IoT may call it. */
const authorizerOf = ({ account, functions }: Wiring): DeployedFunction => {
  const [configuration] = account.all<DomainConfiguration>('AWS::IoT::DomainConfiguration');
  const wanted = configuration?.AuthorizerConfig.DefaultAuthorizerName ?? '';
  const found = account.all<Authorizer>('AWS::IoT::Authorizer').find(({ id }) => account.ref(id) === wanted);
  const lambda = functions.get(found?.AuthorizerFunctionArn ?? '');
  if (configuration?.AuthenticationType !== 'CUSTOM_AUTH' || found?.Status !== 'ACTIVE' || !lambda)
    throw new Error('nobody is asked who may connect');
  const { AuthorizerFunctionArn: arn, id } = found;
  if (permissionsOf(account, 'iot.amazonaws.com', arn, account.arnOf(id)).length === 0)
    throw new Error(`${lambda.name} may not be invoked by ${id}`);
  return lambda;
};

type Failing = { DeadLetterConfig?: { TargetArn: string } };
const keep = (queues: readonly Made[], arn: string, body: unknown): void => {
  const found = queues.find((queue) => queue.arn === arn);
  if (!found) throw new Error(`there is no queue ${arn} to keep what failed`);
  found.queue.send({ body: JSON.stringify(body), groupId: 'iot', delaySeconds: 0 });
};

/** Invokes a function as who waits for no answer does: again when it fails, then its event goes to its dead letters. */
const invokeAsync = async (options: Wiring, arn: string, event: unknown): Promise<void> => {
  const { account, functions, queues, judge, onError } = options;
  const lambda = functions.get(arn);
  if (!lambda) throw new Error(`${arn} is no function`);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      await lambda.invoke(event);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) onError(error);
    }
  }
  const { DeadLetterConfig } = account.byArn<Failing>('AWS::Lambda::Function', arn);
  const name = queues.find((queue) => queue.arn === DeadLetterConfig?.TargetArn)?.name;
  if (!judge.isAllowed(lambda.name, { action: 'sqs:SendMessage', resource: `queue/${name}` })) return;
  keep(queues, DeadLetterConfig?.TargetArn ?? '', event);
};

/** Hands on what a device published as the rule says; what cannot be handed on goes where its error action says. */
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
    keep(queues, rule.keeper, { ruleName: rule.name, topic, base64OriginalPayload, failures });
  };
};

/** AWS IoT Core of an account, as far as its template says: who is let in, what becomes of what is published. */
export const startMqtt = async (options: Wiring, log: Log) => {
  const { clock } = options;
  const authorizer = authorizerOf(options);
  const handOn = ruleOf(options);
  const sessions = createSessions(async (event) => (await authorizer.invoke(event)) as Rights, { clock, log });
  const take = async (event: { sensorId: string; principal?: string | undefined; payload: string }): Promise<void> => {
    const payload = Buffer.from(event.payload, 'base64');
    if (payload.length > PAYLOAD) return;
    const topic = `v1/devices/${event.sensorId}/messages`;
    await handOn({ topic, principal: event.principal ?? '', time: clock.now(), payload });
  };
  const broker = await createBroker(sessions, createTurns(take, clock.now), log, null);
  return { publish: broker.publish, url: await broker.listen('127.0.0.1', 0), stop: broker.stop };
};
