import { groups } from '#functions/index.ts';
import type { Operation } from '#shared/api/operation.ts';
import { type Client, logIn } from '../fixtures/client.ts';
import { type Example, examples } from './examples.ts';
import type { World } from './world.ts';

/** Every API operation by name, excluding pages and their files. */
export const apiOperations: readonly (readonly [string, Operation])[] = groups
  .filter((group) => !('isPage' in group))
  .flatMap((group) => Object.entries<Operation>(group.operations));

/** Every operation by name, including pages and their files. */
export const operations: readonly (readonly [string, Operation])[] = groups.flatMap((group) =>
  Object.entries<Operation>(group.operations),
);

export const exampleOf = async (name: string, world: World): Promise<Example> => {
  const example = examples[name];
  if (!example) throw new Error(`declare an example of ${name} in test/contracts/examples.ts`);
  return example(world);
};

/** Returns a client with the permission to call an operation. */
export const permittedClient = async (operation: Operation, world: World): Promise<Client> => {
  if (operation.auth === 'device') return world.byDevice;
  if (operation.auth === 'provisioner') return world.byProvisioner;
  if (operation.auth === 'anyone' || operation.auth === 'optional') return world.anybody;
  if (!('may' in operation) || operation.may === 'system_admin') return world.admin;
  // A new session, because the request may end it.
  const { username, password, client } = world.ours;
  return operation.auth === 'session' ? logIn(world.anybody, username, password) : client;
};

export const pathOf = (operation: Operation, params: Readonly<Record<string, string>>): string =>
  operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = params[name];
    if (id === undefined) throw new Error(`no id for {${name}} in test/contracts/world.ts`);
    return id;
  });

export const paramsOf = (operation: Operation): string[] =>
  [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
