import { type Capability, isCapability, type Use } from '../runtime/capabilities.ts';
import { serviceSettings } from './service.ts';
import type { Setting } from './setting.ts';
import { stackSettings } from './stack.ts';

/** All environment variables for functions. A function gets only the variables its capabilities require. */
export const environment = { ...stackSettings, ...serviceSettings };

type Environment = typeof environment;
type CapabilitiesOf<S> = S extends { about: { capabilities: readonly (infer C)[] } } ? C : never;
/** The names of the variables for a capability. */
export type VariableName<C extends Capability> = {
  [N in keyof Environment]: C & CapabilitiesOf<Environment[N]> extends never ? never : N;
}[keyof Environment];

/** Returns the environment variables needed for a use. */
export const variablesOf = (use: Use): readonly string[] =>
  isCapability(use)
    ? Object.entries<Setting>(environment).flatMap(([name, { about }]) =>
        about?.capabilities?.includes(use) ? [name] : [],
      )
    : ['TABLE_NAME'];
