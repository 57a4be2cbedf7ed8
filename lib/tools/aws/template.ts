import { NOTHING_CAPPED } from '#lib/aws/settings/concurrency-caps.ts';

/** The parts of a CloudFormation template used by the tools. */
export type Template = { Resources?: Readonly<Record<string, Resource>> };
export type Resource = {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each reader knows which part of the template it reads
  Properties?: any;
  DeletionPolicy?: string;
  Metadata?: Readonly<Record<string, unknown>>;
};

/** Returns all resources of one type, with ids. */
export const resourcesOf = ({ Resources = {} }: Template, type: string): [id: string, resource: Resource][] =>
  Object.entries(Resources).filter(([, { Type }]) => Type === type);

const functionsOf = (template: Template) =>
  resourcesOf(template, 'AWS::Lambda::Function').map(([, { Properties = {} }]) => Properties);

/** Returns the total concurrency reserved for all functions. */
export const reservedIn = (template: Template): number =>
  functionsOf(template).reduce((sum, { ReservedConcurrentExecutions = 0 }) => sum + ReservedConcurrentExecutions, 0);

/** Returns the part of the reserved concurrency that caps functions that falls do not depend on. */
export const cappedIn = (template: Template): number =>
  reservedIn({
    Resources: Object.fromEntries(
      resourcesOf(template, 'AWS::Lambda::Function').filter(([, { Properties = {} }]) =>
        Object.keys(NOTHING_CAPPED).some((name) => String(Properties.FunctionName).endsWith(`-${name}`)),
      ),
    ),
  });

/** Returns the address email is sent from, or '' if none is sent. */
export const mailSenderIn = (template: Template): string =>
  functionsOf(template)
    .map(({ Environment }) => Environment?.Variables?.MAIL_SENDER ?? '')
    .find((sender) => sender !== '') ?? '';

/** Returns the ids of the buckets deleted with their stack. */
export const deletedBucketsIn = (template: Template): string[] =>
  resourcesOf(template, 'AWS::S3::Bucket')
    .filter(([, { DeletionPolicy = 'Delete' }]) => DeletionPolicy === 'Delete')
    .map(([id]) => id);

/** Whether the table is retained when its stack is deleted. */
export const keepsData = (template: Template): boolean =>
  resourcesOf(template, 'AWS::DynamoDB::Table').some(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain');

/** Returns the identity that sends SMS messages, or '' if the stage sends none. */
export const smsOriginIn = (template: Template): string =>
  functionsOf(template)
    .map(({ Environment }) => Environment?.Variables?.SMS_ORIGIN ?? '')
    .find((origin) => origin !== '') ?? '';

/** Returns how many concurrent invocations all queues together can cause. */
export const queueConcurrencyIn = (template: Template): number =>
  resourcesOf(template, 'AWS::Lambda::EventSourceMapping').reduce(
    (sum, [, { Properties }]) => sum + (Properties.ScalingConfig?.MaximumConcurrency ?? 0),
    0,
  );

/** Returns the requests per second accepted by the device API. */
export const deviceRateIn = (template: Template): number =>
  resourcesOf(template, 'AWS::ApiGatewayV2::Stage').map(
    ([, { Properties }]): number => Properties.DefaultRouteSettings?.ThrottlingRateLimit ?? 0,
  )[0] ?? 0;

/** Whether devices connect over MQTT to a host assigned by AWS. */
export const hasAssignedMqttHost = (template: Template): boolean =>
  resourcesOf(template, 'AWS::IoT::DomainConfiguration').some(([, { Properties }]) => !Properties.DomainName);

/** Returns whether each of a template's keys can be replicated to another region, by key id. */
export const keysIn = (template: Template): ReadonlyMap<string, boolean> =>
  new Map(
    resourcesOf(template, 'AWS::KMS::Key').map(([id, { Properties = {} }]) => [id, Properties.MultiRegion === true]),
  );

/** Returns the addresses subscribed to alarms. */
export const subscriberAddressesIn = (template: Template): string[] =>
  resourcesOf(template, 'AWS::SNS::Subscription')
    .filter(([, { Properties = {} }]) => Properties.Protocol !== 'sqs')
    .map(([, { Properties = {} }]) => String(Properties.Endpoint));

/** Returns the account concurrency at which an alarm fires, or 0 if there is no such alarm. */
export const concurrencyAlarmIn = (template: Template): number =>
  resourcesOf(template, 'AWS::CloudWatch::Alarm')
    .filter(([, { Properties = {} }]) => Properties.MetricName === 'ClaimedAccountConcurrency')
    .map(([, { Properties = {} }]): number => Properties.Threshold)[0] ?? 0;

/** Returns the functions' table, as the JSON of a name or a reference, or null without functions. */
export const tableIn = (template: Template): string | null => {
  const names = functionsOf(template).map(({ Environment }) => Environment?.Variables?.TABLE_NAME);
  const name = names.find((found) => found !== undefined);
  return name === undefined ? null : JSON.stringify(name);
};

/** A function in a deployed stage, with the timeout, reserved concurrency (or null) and number of queues. */
export type DeployedFunction = { name: string; timeoutSeconds: number; reserved: number | null; queues: number };

/** Returns the id of the referenced resource: a function, or the alias in an ARN. */
const referenceIn = (value: unknown): string => /"Ref":"(\w+)"/.exec(JSON.stringify(value))?.[1] ?? '';

/** Returns a template's functions, or null if CloudFormation assigns some of their names. */
export const functionsIn = (template: Template): DeployedFunction[] | null => {
  const aliases = new Map(
    resourcesOf(template, 'AWS::Lambda::Alias').map(([id, { Properties }]) => [
      id,
      referenceIn(Properties.FunctionName),
    ]),
  );
  const fed = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => {
    const id = referenceIn(Properties.FunctionName);
    return aliases.get(id) ?? id;
  });
  const functions = resourcesOf(template, 'AWS::Lambda::Function').map(([id, { Properties = {} }]) => ({
    name: Properties.FunctionName,
    timeoutSeconds: Properties.Timeout ?? 3,
    reserved: Properties.ReservedConcurrentExecutions ?? null,
    queues: fed.filter((fedId) => fedId === id).length,
  }));
  return functions.every(({ name }) => typeof name === 'string') ? functions : null;
};

/** Returns the time before which issued credentials are invalid in a stage, or '' if all are valid. */
export const credentialsSinceIn = (template: Template): string =>
  functionsOf(template)
    .map(({ Environment }) => Environment?.Variables?.CREDENTIALS_SINCE ?? '')
    .find((since) => since !== '') ?? '';

/** The table features not restored by a recovery. `ttl` is the attribute by which items expire, or null. */
export type TableExtras = { ttl: string | null; isRecoverable: boolean; isProtected: boolean };
export const tableExtrasIn = (template: Template): TableExtras => {
  const Properties = resourcesOf(template, 'AWS::DynamoDB::Table')[0]?.[1].Properties ?? {};
  return {
    ttl: Properties.TimeToLiveSpecification?.AttributeName ?? null,
    isRecoverable: Properties.PointInTimeRecoverySpecification?.PointInTimeRecoveryEnabled === true,
    isProtected: Properties.DeletionProtectionEnabled === true,
  };
};
