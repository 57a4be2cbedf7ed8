import {
  type CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateDescribeStackEvents,
  paginateListStackResources,
  type StackEvent,
  type StackResourceSummary,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { hasName, withFallback } from './calls.ts';

export type Outputs = Readonly<Record<string, string>>;

/** A stack's state. `arn` still identifies the stack once it is deleted. */
export type StackState = { arn: string; status: string; reason: string; isProtected: boolean };

/** A resource in a stack. `name` is the physical id, and `reason` explains a failure. */
export type StackResource = { id: string; type: string; name: string; status: string; reason: string };

/** A resource CloudFormation could not create, change or delete. `event` is the report's id. */
export type StackFailure = { event: string; id: string; type: string; reason: string };

/** Whether an error means that the stack is missing. CloudFormation has no specific error type for this. */
const isMissing = (error: unknown): boolean =>
  hasName('ValidationError')(error) && /does not exist/.test(String((error as Error).message));

/** Whether an event starts an operation on the stack itself. Older events belong to earlier operations. */
const isStart = ({ PhysicalResourceId, StackId, ResourceStatus }: StackEvent): boolean =>
  PhysicalResourceId === StackId && /^(CREATE|UPDATE|DELETE|IMPORT)_IN_PROGRESS$/.test(String(ResourceStatus));

/**
 * Whether an event reports a failure. CloudFormation also reports resources canceled because another resource failed,
 * but those do not count.
 */
const isFailure = ({ PhysicalResourceId, StackId, ResourceStatus, ResourceStatusReason = '' }: StackEvent) =>
  PhysicalResourceId !== StackId && /_FAILED$/.test(String(ResourceStatus)) && !/cancelled/i.test(ResourceStatusReason);

const resourceFrom = (summary: StackResourceSummary): StackResource => ({
  id: summary.LogicalResourceId ?? '',
  type: summary.ResourceType ?? '',
  name: summary.PhysicalResourceId ?? '',
  status: summary.ResourceStatus ?? '',
  reason: summary.ResourceStatusReason ?? '',
});

/** Returns the stack calls. */
export const stackCalls = (client: CloudFormationClient) => ({
  /** Returns a stack's outputs by name, or null if the stack does not exist. */
  outputs: (StackName: string): Promise<Outputs | null> => {
    const described = client.send(new DescribeStacksCommand({ StackName })).then(({ Stacks: [stack] = [] }) => {
      const pairs = (stack?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]);
      return Object.fromEntries(pairs) as Outputs;
    });
    return withFallback(described, isMissing, null);
  },

  /** Returns a stack's state, or null if the stack does not exist. */
  state: (StackName: string): Promise<StackState | null> => {
    const described = client.send(new DescribeStacksCommand({ StackName })).then(({ Stacks: [stack] = [] }) => ({
      arn: stack?.StackId ?? StackName,
      status: stack?.StackStatus ?? '',
      reason: stack?.StackStatusReason ?? '',
      isProtected: stack?.EnableTerminationProtection ?? false,
    }));
    return withFallback(described, isMissing, null);
  },

  /** Returns a stack's deployed template, or null if the stack does not exist or has no template yet. */
  template: (StackName: string): Promise<string | null> => {
    const response = client.send(new GetTemplateCommand({ StackName }));
    return withFallback(
      response.then(({ TemplateBody }) => TemplateBody || null),
      isMissing,
      null,
    );
  },

  /** Returns a stack's resources, or none if the stack does not exist. */
  resources: (StackName: string): Promise<StackResource[]> => {
    const read = async () => {
      const found: StackResource[] = [];
      for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
        found.push(...StackResourceSummaries.map(resourceFrom));
      return found;
    };
    return withFallback(read(), isMissing, []);
  },

  /**
   * Returns what failed in the latest operation on a stack, the earliest failure first. Empty if the stack does not
   * exist.
   */
  failures: async (StackName: string): Promise<StackFailure[]> => {
    const read = async () => {
      const events: StackEvent[] = [];
      for await (const { StackEvents = [] } of paginateDescribeStackEvents({ client }, { StackName })) {
        events.push(...StackEvents);
        if (StackEvents.some(isStart)) break;
      }
      const start = events.findIndex(isStart);
      return start < 0 ? events : events.slice(0, start);
    };
    const newestFirst = await withFallback(read(), isMissing, []);
    return newestFirst
      .filter(isFailure)
      .reverse()
      .map((event) => ({
        event: event.EventId ?? '',
        id: event.LogicalResourceId ?? '',
        type: event.ResourceType ?? '',
        reason: event.ResourceStatusReason ?? '',
      }));
  },

  /** Disables a stack's termination protection. */
  unprotect: async (StackName: string): Promise<void> => {
    await client.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false }));
  },
});
