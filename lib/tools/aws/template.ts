/** The parts of a CloudFormation template that the tools read. */
export type Template = { Resources?: Readonly<Record<string, Resource>> };
export type Resource = {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON of which each reader knows its part
  Properties?: any;
  DeletionPolicy?: string;
  Metadata?: Readonly<Record<string, unknown>>;
};

/** Gives all resources of a type, by their ids. */
export const resourcesOf = ({ Resources = {} }: Template, type: string): [id: string, resource: Resource][] =>
  Object.entries(Resources).filter(([, { Type }]) => Type === type);

const functionsOf = (template: Template) =>
  resourcesOf(template, 'AWS::Lambda::Function').map(([, { Properties = {} }]) => Properties);

/** Gives the concurrency that is reserved for all functions together. */
export const reservedIn = (template: Template): number =>
  functionsOf(template).reduce((sum, { ReservedConcurrentExecutions = 0 }) => sum + ReservedConcurrentExecutions, 0);

/** Gives the address that mails are sent from; it is empty when no mails are sent. */
export const mailSenderIn = (template: Template): string =>
  functionsOf(template)
    .map(({ Environment }) => Environment?.Variables?.MAIL_SENDER ?? '')
    .find((sender) => sender !== '') ?? '';

/** Does the table stay when its stack is deleted? */
export const keepsData = (template: Template): boolean =>
  resourcesOf(template, 'AWS::DynamoDB::Table').some(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain');

/** Who is told of alarms. */
export const addressesToldIn = (template: Template): string[] =>
  resourcesOf(template, 'AWS::SNS::Subscription').map(([, { Properties = {} }]) => String(Properties.Endpoint));

/** From how many invocations at a time in the whole account on an alarm rings; 0: none does. */
export const concurrencyAlarmIn = (template: Template): number =>
  resourcesOf(template, 'AWS::CloudWatch::Alarm')
    .filter(([, { Properties = {} }]) => Properties.MetricName === 'ClaimedAccountConcurrency')
    .map(([, { Properties = {} }]): number => Properties.Threshold)[0] ?? 0;

/** The table that the functions work on: its name, or a reference to it, as JSON; null when there are no functions. */
export const tableIn = (template: Template): string | null => {
  const names = functionsOf(template).map(({ Environment }) => Environment?.Variables?.TABLE_NAME);
  const name = names.find((found) => found !== undefined);
  return name === undefined ? null : JSON.stringify(name);
};

/** The functions of a stage: their names, timeouts (s), reserved concurrency (null: none), and how many queues feed each. */
export type DeployedFunction = { name: string; timeoutSeconds: number; reserved: number | null; queues: number };

/** The id of the resource that a value names: a function by itself, or an alias by parts of its ARN. */
const referredIn = (value: unknown): string => /"Ref":"(\w+)"/.exec(JSON.stringify(value))?.[1] ?? '';

/** Gives the functions of a template by their names in the account. Null when CloudFormation names some of them. */
export const functionsIn = (template: Template): DeployedFunction[] | null => {
  const aliases = new Map(
    resourcesOf(template, 'AWS::Lambda::Alias').map(([id, { Properties }]) => [
      id,
      referredIn(Properties.FunctionName),
    ]),
  );
  const fed = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => {
    const id = referredIn(Properties.FunctionName);
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

/** Gives the time from which on credentials count in a stage; it is empty when all do. */
export const credentialsSinceIn = (template: Template): string =>
  functionsOf(template)
    .map(({ Environment }) => Environment?.Variables?.CREDENTIALS_SINCE ?? '')
    .find((since) => since !== '') ?? '';

/** What the table of a stage has besides items and indexes; `ttl` is the attribute by which items expire, or null. */
export type TableExtras = { ttl: string | null; isRecoverable: boolean; isProtected: boolean };
export const tableExtrasIn = (template: Template): TableExtras => {
  const Properties = resourcesOf(template, 'AWS::DynamoDB::Table')[0]?.[1].Properties ?? {};
  return {
    ttl: Properties.TimeToLiveSpecification?.AttributeName ?? null,
    isRecoverable: Properties.PointInTimeRecoverySpecification?.PointInTimeRecoveryEnabled === true,
    isProtected: Properties.DeletionProtectionEnabled === true,
  };
};
