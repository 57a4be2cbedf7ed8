/**
 * Replaces the SDK's chain of credential providers in bundles. Throws, because functions pass credentials explicitly.
 */
export const defaultProvider = () => async (): Promise<never> => {
  throw new Error('no credentials were passed');
};
