/** The name of the stage that `sam local` runs on a developer's machine. */
export const LOCAL_STAGE = 'local';

/** The variables by which the SDK finds an engine instead of AWS. */
const ENDPOINTS = [
  'AWS_ENDPOINT_URL_DYNAMODB',
  'AWS_ENDPOINT_URL_SQS',
  'AWS_ENDPOINT_URL_KMS',
  'AWS_ENDPOINT_URL_SESV2',
  'AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2',
] as const;

/**
 * The additional variables of a function of that stage, with empty values: `sam local --env-vars` sets only variables
 * that the template has.
 * https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/serverless-sam-cli-using-invoke.html
 */
export const endpointsOf = ({ name }: { name: string }): Readonly<Record<string, string>> =>
  name === LOCAL_STAGE ? Object.fromEntries(ENDPOINTS.map((variable) => [variable, ''])) : {};
