import type { Resource, Template } from './assembly.ts';

export const REGION = 'eu-central-1';
export const ACCOUNT = '000000000000';

const pseudo: Readonly<Record<string, string>> = {
  'AWS::AccountId': ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::Region': REGION,
  'AWS::URLSuffix': 'amazonaws.com',
};

/** What CloudFormation gives for a resource by `Ref`, and by `Fn::GetAtt`. */
type Given = { ref: string; attributes: Readonly<Record<string, string>> };

const arn = (service: string, resource: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
const withArn = (ref: string, Arn: string): Given => ({ ref, attributes: { Arn } });
const plain = (id: string): Given => ({ ref: id, attributes: {} });

/** The ARN of a function by its name, or of an alias by `function:alias`. */
export const lambdaArn = (name: string): string => arn('lambda', `function:${name}`);

type Kind = (
  id: string,
  origin: string,
  properties: Resource['Properties'],
  resolve: (value: unknown) => unknown,
) => Given;
/** The kinds of resources that functions and APIs are made of; those of other kinds are not looked at. */
const kinds: Readonly<Record<string, Kind>> = {
  'AWS::ApiGateway::Deployment': plain,
  'AWS::ApiGateway::RestApi': plain,
  'AWS::ApiGatewayV2::Api': plain,
  'AWS::ApiGatewayV2::Integration': plain,
  'AWS::CloudWatch::Alarm': (id) => withArn(id, arn('cloudwatch', `alarm:${id}`)),
  'AWS::DynamoDB::Table': (id) => withArn(id, arn('dynamodb', `table/${id}`)),
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
  // The number of a version is not known before it is made.
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

/** A logical id without the hash that the CDK ends it with. */
export const shortOf = (id: string): string => id.replace(/[0-9A-F]{8}$/, '');

/**
 * The account as a stack makes it. `origin`: where its services answer. Everything in a template that depends on what
 * else is deployed is resolved by the names that are given here.
 */
export const createAccount = ({ Resources }: Template, origin: string) => {
  const given = (id: string): Given => {
    const { Type = '', Properties } = Resources[id] ?? {};
    const made = kinds[Type]?.(id, origin, Properties, resolve);
    if (!made) throw new Error(`nothing is known of ${id} ${Type}`);
    return made;
  };
  const attribute = (id: string, name: string): string => {
    const value = given(id).attributes[name];
    if (value === undefined) throw new Error(`nothing is known of ${name} of ${id}`);
    return value;
  };
  const ref = (id: string): string => pseudo[id] ?? given(id).ref;
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
    if (unknown) throw new Error(`${unknown} is not resolved here`);
    return Object.fromEntries(Object.entries(intrinsics).map(([key, of]) => [key, resolve(of)]));
  };
  const known = new Map<string, unknown>();
  const all = <P extends object>(type: string): (P & { id: string; dependsOn: string[] })[] => {
    const made =
      known.get(type) ??
      Object.entries(Resources)
        .filter(([, { Type }]) => Type === type)
        .map(([id, { Properties = {}, DependsOn = [] }]) => ({
          ...(resolve(Properties) as P),
          id,
          dependsOn: [DependsOn].flat(),
        }));
    known.set(type, made);
    return made as (P & { id: string; dependsOn: string[] })[];
  };
  return {
    /** The resources of a type with their properties resolved. */
    all,
    ref,
    arnOf: (id: string) => attribute(id, 'Arn'),
    /** The ARN of the resource of a type that `Ref` gives this for. */
    arnByRef: (type: string, wanted: string) => {
      const found = all(type).find(({ id }) => ref(id) === wanted);
      if (!found) throw new Error(`there is no ${type} ${wanted}`);
      return attribute(found.id, 'Arn');
    },
    /** The resource of a type that has an ARN. */
    byArn: <P extends object>(type: string, wanted: string) => {
      const found = all<P>(type).find(({ id }) => attribute(id, 'Arn') === wanted);
      if (!found) throw new Error(`there is no ${type} ${wanted}`);
      return found;
    },
  };
};
export type Account = ReturnType<typeof createAccount>;
