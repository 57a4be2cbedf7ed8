/** The stage run by `sam local` on a developer's machine. */
export const LOCAL_STAGE = 'local';

/** The variables that point the SDK at a local engine instead of AWS. */
const ENDPOINTS = [
  'AWS_ENDPOINT_URL_DYNAMODB',
  'AWS_ENDPOINT_URL_SQS',
  'AWS_ENDPOINT_URL_KMS',
  'AWS_ENDPOINT_URL_SESV2',
  'AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2',
] as const;

/**
 * Returns the additional function variables for the local stage, with empty values, because `sam local --env-vars` sets
 * only variables listed in the template.
 * https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-sam-cli-using-invoke.html
 */
export const localEndpointVariables = ({ name }: { name: string }): Readonly<Record<string, string>> =>
  name === LOCAL_STAGE ? Object.fromEntries(ENDPOINTS.map((variable) => [variable, ''])) : {};
