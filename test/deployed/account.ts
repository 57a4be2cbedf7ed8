import type { Resource, Template } from './assembly.ts';

export const REGION = 'eu-central-1';
export const ACCOUNT = '000000000000';

const pseudo: Readonly<Record<string, string>> = {
  'AWS::AccountId': ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::Region': REGION,
  'AWS::URLSuffix': 'amazonaws.com',
};

/** What CloudFormation returns for a resource with `Ref` and `Fn::GetAtt`. */
type Returned = { ref: string; attributes: Readonly<Record<string, string>> };

const arn = (service: string, resource: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
const withArn = (ref: string, Arn: string): Returned => ({ ref, attributes: { Arn } });
const plain = (id: string): Returned => ({ ref: id, attributes: {} });

/** Returns a function's ARN by name, or an alias's by `function:alias`. */
export const lambdaArn = (name: string): string => arn('lambda', `function:${name}`);

type Kind = (
  id: string,
  origin: string,
  properties: Resource['Properties'],
  resolve: (value: unknown) => unknown,
) => Returned;

/** Resource types for functions and APIs. Other types are ignored. */
const kinds: Readonly<Record<string, Kind>> = {
  'AWS::ApiGateway::Deployment': plain,
  'AWS::ApiGateway::RestApi': plain,
  'AWS::ApiGatewayV2::Api': plain,
  'AWS::ApiGatewayV2::Integration': plain,
  'AWS::CloudWatch::Alarm': (id) => withArn(id, arn('cloudwatch', `alarm:${id}`)),
  'AWS::DynamoDB::Table': (id) => withArn(id, arn('dynamodb', `table/${id}`)),
  'AWS::ElasticLoadBalancingV2::Listener': plain,
  'AWS::ElasticLoadBalancingV2::LoadBalancer': plain,
  'AWS::ElasticLoadBalancingV2::TargetGroup': (id) => plain(arn('elasticloadbalancing', `targetgroup/${id}/0`)),
  'AWS::Events::Rule': (id) => withArn(id, arn('events', `rule/${id}`)),
  'AWS::IAM::Role': (id) => withArn(id, `arn:aws:iam::${ACCOUNT}:role/${id}`),
  'AWS::IoT::Authorizer': (id) => withArn(id, arn('iot', `authorizer/${id}`)),
  'AWS::IoT::DomainConfiguration': plain,
  'AWS::IoT::TopicRule': (id, _, properties) => {
    const name = String(properties?.RuleName ?? id);
    return withArn(name, arn('iot', `rule/${name}`));
  },
  'AWS::KMS::Key': (id) => withArn(id, arn('kms', `key/${id}`)),
  'AWS::Lambda::Alias': (_, __, properties, resolve) =>
    plain(lambdaArn(`${resolve(properties?.FunctionName)}:${properties?.Name}`)),
  'AWS::Lambda::Function': (id, _, properties) => {
    const name = String(properties?.FunctionName ?? id);
    return withArn(name, lambdaArn(name));
  },
  // A version's number is known only after it is deployed.
  'AWS::Lambda::Version': (id) => ({ ref: id, attributes: { Version: id } }),
  'AWS::Logs::LogGroup': (id) => withArn(id, arn('logs', `log-group:${id}:*`)),
  'AWS::S3::Bucket': (id) => withArn(id.toLowerCase(), `arn:aws:s3:::${id.toLowerCase()}`),
  'AWS::SNS::Topic': (id) => ({ ref: arn('sns', id), attributes: {} }),
  'AWS::SQS::Queue': (id, origin, properties) => {
    const name = properties?.FifoQueue === true ? `${id}.fifo` : id;
    return { ref: `${origin}/${ACCOUNT}/${name}`, attributes: { Arn: arn('sqs', name), QueueName: name } };
  },
};

type Intrinsics = Partial<{
  Ref: string;
  'Fn::GetAtt': [string, string];
  'Fn::Join': [string, unknown[]];
  'Fn::Select': [number, unknown];
  'Fn::Split': [string, unknown];
  'Fn::Sub': string;
}>;

/** Returns a logical id without the hash appended by the CDK. */
export const shortOf = (id: string): string => id.replace(/[0-9A-F]{8}$/, '');

/**
 * Creates an account as a stack would leave it, with the services at `origin`. References in the template are resolved
 * with the names assigned here.
 */
export const createAccount = ({ Resources }: Template, origin: string) => {
  const returned = (id: string): Returned => {
    const { Type = '', Properties } = Resources[id] ?? {};
    const values = kinds[Type]?.(id, origin, Properties, resolve);
    if (!values) throw new Error(`the resource ${id} (${Type}) is not simulated`);
    return values;
  };
  const attribute = (id: string, name: string): string => {
    const value = returned(id).attributes[name];
    if (value === undefined) throw new Error(`the attribute ${name} of ${id} is not simulated`);
    return value;
  };
  const ref = (id: string): string => pseudo[id] ?? returned(id).ref;
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (value === null || typeof value !== 'object') return value;
    const intrinsics = value as Intrinsics;
    if (intrinsics.Ref) return ref(intrinsics.Ref);
    if (intrinsics['Fn::GetAtt']) return attribute(...intrinsics['Fn::GetAtt']);
    if (intrinsics['Fn::Join']) return intrinsics['Fn::Join'][1].map(resolve).join(intrinsics['Fn::Join'][0]);
    if (intrinsics['Fn::Select'])
      return (resolve(intrinsics['Fn::Select'][1]) as unknown[])[intrinsics['Fn::Select'][0]];
    if (intrinsics['Fn::Split']) return String(resolve(intrinsics['Fn::Split'][1])).split(intrinsics['Fn::Split'][0]);
    if (intrinsics['Fn::Sub']) return intrinsics['Fn::Sub'].replaceAll(/\$\{([\w:]+)\}/g, (_, id: string) => ref(id));
    const unknown = Object.keys(intrinsics).find((key) => key.startsWith('Fn::'));
    if (unknown) throw new Error(`${unknown} is not simulated`);
    return Object.fromEntries(Object.entries(intrinsics).map(([key, of]) => [key, resolve(of)]));
  };
  const resolved = new Map<string, unknown>();
  const all = <P extends object>(type: string): (P & { id: string; dependsOn: string[] })[] => {
    const resources =
      resolved.get(type) ??
      Object.entries(Resources)
        .filter(([, { Type }]) => Type === type)
        .map(([id, { Properties = {}, DependsOn = [] }]) => ({
          ...(resolve(Properties) as P),
          id,
          dependsOn: [DependsOn].flat(),
        }));
    resolved.set(type, resources);
    return resources as (P & { id: string; dependsOn: string[] })[];
  };
  return {
    /** Returns all resources of the given type, with resolved properties. */
    all,
    ref,
    arnOf: (id: string) => attribute(id, 'Arn'),
    /** Returns the ARN of the resource of this type with this `Ref`. */
    arnByRef: (type: string, wanted: string) => {
      const found = all(type).find(({ id }) => ref(id) === wanted);
      if (!found) throw new Error(`there is no ${type} ${wanted}`);
      return attribute(found.id, 'Arn');
    },
    /** Returns the resource of this type with this ARN. */
    byArn: <P extends object>(type: string, wanted: string) => {
      const found = all<P>(type).find(({ id }) => attribute(id, 'Arn') === wanted);
      if (!found) throw new Error(`there is no ${type} ${wanted}`);
      return found;
    },
  };
};

export type Account = ReturnType<typeof createAccount>;
