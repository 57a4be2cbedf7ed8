import type { Device } from '#shared/domain/sensor/sensor.ts';
import { basicIngest, topicsOf } from '#shared/ingest/topics.ts';

type Statement = { Effect: 'Allow'; Action: string; Resource: readonly string[] };
/** The custom authorizer response. */
export type AuthorizerResponse = {
  isAuthenticated: boolean;
  /** The device token's hash, in hex because AWS IoT accepts only alphanumeric ids. */
  principalId: string;
  /**
   * The number of seconds until AWS IoT asks again, so that connections with revoked tokens are closed. AWS IoT allows
   * 300 or more.
   */
  refreshAfterInSeconds: number;
  disconnectAfterInSeconds: number;
  policyDocuments: readonly { Version: '2012-10-17'; Statement: readonly Statement[] }[];
};

const lifetime = { refreshAfterInSeconds: 300, disconnectAfterInSeconds: 86_400 };

/** The response for a rejected connection. */
export const denied: AuthorizerResponse = {
  isAuthenticated: false,
  principalId: 'nobody',
  ...lifetime,
  policyDocuments: [],
};

/**
 * Returns a response that lets a device connect under its own id, publish messages and subscribe to its own topics,
 * without wildcards or retained messages. With a replaced token, the device gets no configuration. The resources are in
 * the account in `functionArn`.
 */
export const allowDevice = (
  { sensorId, hash, replacedUntil }: Device,
  rule: string,
  functionArn: string,
): AuthorizerResponse => {
  const [, partition, , region, account] = functionArn.split(':');
  const { messages, config, refused } = topicsOf(sensorId);
  const may = (action: string, kind: string, ...names: string[]): Statement => ({
    Effect: 'Allow',
    Action: `iot:${action}`,
    Resource: names.map((name) => `arn:${partition}:iot:${region}:${account}:${kind}/${name}`),
  });
  const heard = replacedUntil === undefined ? [config, refused] : [refused];
  const Statement = [
    may('Connect', 'client', sensorId),
    may('Publish', 'topic', messages, basicIngest(rule) + messages),
    may('Subscribe', 'topicfilter', ...heard),
    may('Receive', 'topic', ...heard),
  ];
  return {
    isAuthenticated: true,
    principalId: Buffer.from(hash, 'base64url').toString('hex'),
    ...lifetime,
    policyDocuments: [{ Version: '2012-10-17', Statement }],
  };
};
