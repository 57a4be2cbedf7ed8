/** Stands in bundles for the SDK's chain of credential providers, which would look in files and at services of AWS. */
export const defaultProvider = () => async (): Promise<never> => {
  throw new Error('no credentials were given');
};
