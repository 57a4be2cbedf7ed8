import type { Context } from 'aws-lambda';
import { kindOf } from '#functions/index.ts';
import type { Runtime } from '#shared/runtime/deps.ts';

/** Runs an invocation of the named function with an event. Returns the result. */
export type AroundInvocation = <T>(functionName: string, invocation: () => Promise<T>, event: unknown) => Promise<T>;

type Handler<E, R> = (event: E, context: Context) => Promise<R>;
type Loaded<E, R> = { handler: { with: (runtime: Runtime) => Handler<E, R> } };

const load = {
  api: (name: string) => import(`#functions/api/${name}/handler.ts`),
  workers: (name: string) => import(`#functions/workers/${name}/handler.ts`),
};

/** Loads a function handler for the runtime on this host. `around` wraps each invocation. */
export const loadHandler = async <E, R>(
  name: string,
  runtime: Runtime,
  around: AroundInvocation = (_, invocation) => invocation(),
): Promise<Handler<E, R>> => {
  const { handler }: Loaded<E, R> = await load[kindOf(name)](name);
  const handle = handler.with(runtime);
  return (event, context) => around(name, () => handle(event, context), event);
};
