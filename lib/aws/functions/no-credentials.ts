/**
 * Replaces, in bundles, the SDK's chain of credential providers, which would search files and services of AWS. It
 * always throws.
 */
export const defaultProvider = () => async (): Promise<never> => {
  throw new Error('no credentials were given');
};
