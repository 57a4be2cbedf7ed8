import {
  DeleteFunctionConcurrencyCommand,
  GetFunctionConcurrencyCommand,
  type LambdaClient,
  PutFunctionConcurrencyCommand,
  paginateListEventSourceMappings,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { isNamed, orElse } from './calls.ts';

/** A queue that feeds a function. Its state is `Enabled`, `Disabled`, or one between them, such as `Disabling`. */
export type Mapping = { id: string; functionName: string; state: string };

/** The calls about functions and what starts them. */
export const functionCalls = (lambda: LambdaClient) => ({
  /** Gives what feeds these functions. */
  mappings: async (names: readonly string[]): Promise<Mapping[]> => {
    const found: Mapping[] = [];
    for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings({ client: lambda }, {}))
      for (const { UUID = '', FunctionArn = '', State = '' } of EventSourceMappings)
        found.push({ id: UUID, functionName: FunctionArn.split(':')[6] ?? '', state: State });
    return found.filter(({ functionName }) => names.includes(functionName));
  },
  /** Begins to switch a mapping on or off. Does nothing while an earlier change of it goes on. */
  switchMapping: async (UUID: string, Enabled: boolean): Promise<void> => {
    const asked = lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }));
    await orElse(asked, isNamed('ResourceInUseException', 'ResourceConflictException'), null);
  },

  /** Gives the reserved concurrency of a function; null when none is reserved. With 0 it is not invoked at all. */
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
