import type { Device } from '../../../shared/domain/sensor.ts';
import { basicIngest, topicsOf } from '../../../shared/ingest/topics.ts';

export type Statement = { Effect: 'Allow'; Action: string; Resource: readonly string[] };
/** The answer of a custom authorizer. */
export type Rights = {
  isAuthenticated: boolean;
  /** Whose connection it is: the hash of its token in hex, for nothing but letters and digits may be in it. */
  principalId: string;
  /** s. So soon a token that is nothing any more loses its connection; AWS IoT takes no less than 300. */
  refreshAfterInSeconds: number;
  disconnectAfterInSeconds: number;
  policyDocuments: readonly { Version: '2012-10-17'; Statement: readonly Statement[] }[];
};

const lifetime = { refreshAfterInSeconds: 300, disconnectAfterInSeconds: 86_400 };

/** Nobody connects. */
export const denied: Rights = { isAuthenticated: false, principalId: 'nobody', ...lifetime, policyDocuments: [] };

/**
 * What a device may do: connect under its own id, say something, and hear what is for it. No wildcard, nothing retained.
 * `functionArn` tells the account that the resources are in.
 */
export const rightsOf = ({ sensorId, hash }: Device, rule: string, functionArn: string): Rights => {
  const [, partition, , region, account] = functionArn.split(':');
  const { messages, config, refused } = topicsOf(sensorId);
  const may = (action: string, kind: string, ...names: string[]): Statement => ({
    Effect: 'Allow',
    Action: `iot:${action}`,
    Resource: names.map((name) => `arn:${partition}:iot:${region}:${account}:${kind}/${name}`),
  });
  const Statement = [
    may('Connect', 'client', sensorId),
    may('Publish', 'topic', messages, basicIngest(rule) + messages),
    may('Subscribe', 'topicfilter', config, refused),
    may('Receive', 'topic', config, refused),
  ];
  return {
    isAuthenticated: true,
    principalId: Buffer.from(hash, 'base64url').toString('hex'),
    ...lifetime,
    policyDocuments: [{ Version: '2012-10-17', Statement }],
  };
};
