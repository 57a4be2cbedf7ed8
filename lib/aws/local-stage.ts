/** The stage that `sam local` runs, on the machine of a developer. */
export const LOCAL_STAGE = 'local';

/** By these the SDK finds an engine in the place of AWS. */
const ENDPOINTS = [
  'AWS_ENDPOINT_URL_DYNAMODB',
  'AWS_ENDPOINT_URL_SQS',
  'AWS_ENDPOINT_URL_KMS',
  'AWS_ENDPOINT_URL_SESV2',
] as const;

/**
 * What a function of that stage has besides its own variables, still without values: `sam local --env-vars` gives values
 * to those variables alone that the template has.
 * https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-sam-cli-using-invoke.html
 */
export const endpointsOf = ({ name }: { name: string }): Readonly<Record<string, string>> =>
  name === LOCAL_STAGE ? Object.fromEntries(ENDPOINTS.map((variable) => [variable, ''])) : {};
