/** As much of a CloudFormation template as the tools look at. */
export type Template = { Resources?: Readonly<Record<string, Resource>> };
export type Resource = {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON of which each reader knows its part
  Properties?: any;
  DeletionPolicy?: string;
  Metadata?: Readonly<Record<string, unknown>>;
};

/** All resources of a type, by their ids. */
export const resourcesOf = ({ Resources = {} }: Template, type: string): [id: string, resource: Resource][] =>
  Object.entries(Resources).filter(([, { Type }]) => Type === type);

const functionsOf = (template: Template) =>
  resourcesOf(template, 'AWS::Lambda::Function').map(([, { Properties = {} }]) => Properties);

/** Invocations at a time that are reserved for all functions together. */
export const reservedIn = (template: Template): number =>
  functionsOf(template).reduce((sum, { ReservedConcurrentExecutions = 0 }) => sum + ReservedConcurrentExecutions, 0);

/** The address that mails come from; empty: none are sent. */
export const mailSenderIn = (template: Template): string =>
  functionsOf(template)
    .map(({ Environment }) => Environment?.Variables?.MAIL_SENDER ?? '')
    .find((sender) => sender !== '') ?? '';

/** Does the table stay when its stack is deleted? */
export const keepsData = (template: Template): boolean =>
  resourcesOf(template, 'AWS::DynamoDB::Table').some(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain');
