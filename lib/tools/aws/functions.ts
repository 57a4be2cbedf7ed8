import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConcurrencyCommand,
  type LambdaClient,
  PutFunctionConcurrencyCommand,
  paginateListEventSourceMappings,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { hasName, withFallback } from './calls.ts';

/** A function's event source mapping. Its state is `Enabled`, `Disabled`, or a transition such as `Disabling`. */
export type EventSourceMapping = { id: string; functionName: string; state: string };

/** Returns the calls for functions and event source mappings. */
export const functionCalls = (lambda: LambdaClient) => ({
  /** Returns the named functions' event source mappings. */
  mappings: async (names: readonly string[]): Promise<EventSourceMapping[]> => {
    const found: EventSourceMapping[] = [];
    for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings({ client: lambda }, {}))
      for (const { UUID = '', FunctionArn = '', State = '' } of EventSourceMappings)
        found.push({ id: UUID, functionName: FunctionArn.split(':')[6] ?? '', state: State });
    return found.filter(({ functionName }) => names.includes(functionName));
  },

  /** Starts enabling or disabling a mapping. Does nothing while an earlier change is in progress. */
  switchMapping: async (UUID: string, Enabled: boolean): Promise<void> => {
    const updated = lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }));
    await withFallback(updated, hasName('ResourceInUseException', 'ResourceConflictException'), null);
  },

  /**
   * Returns a function's reserved concurrency, or null if none is reserved. If it is 0, the function is never invoked.
   */
  reserved: async (FunctionName: string): Promise<number | null> => {
    const { ReservedConcurrentExecutions } = await lambda.send(new GetFunctionConcurrencyCommand({ FunctionName }));
    return ReservedConcurrentExecutions ?? null;
  },
  reserve: async (FunctionName: string, ReservedConcurrentExecutions: number | null): Promise<void> => {
    if (ReservedConcurrentExecutions === null)
      await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
    else await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions }));
  },
});
