import { UserError } from '../user-error.ts';

const NO_CREDENTIALS =
  'No AWS credentials found, or AWS_PROFILE names an unknown profile: run `aws configure sso` and `aws sso login`, set AWS_PROFILE to an existing profile, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.';
const NO_REGION = 'No AWS region is set: set AWS_REGION (for example eu-central-1), or a region in your AWS profile.';
const WRONG_REGION =
  'The AWS region is invalid: set AWS_REGION to one such as eu-central-1, or correct the one in your AWS profile.';

const SSO_ENDED = 'Your AWS single sign-on session has expired: run `aws sso login`.';

const rejected = 'AWS rejected the credentials';

/** Explanations for the errors raised by AWS and the SDK for rejected credentials. */
const sentences: Readonly<Record<string, string>> = {
  CredentialsProviderError: NO_CREDENTIALS,
  TokenProviderError: SSO_ENDED,
  ExpiredToken: `${rejected} because they have expired: log in again (aws sso login).`,
  ExpiredTokenException: `${rejected} because they have expired: log in again (aws sso login).`,
  InvalidClientTokenId: `${rejected} because the access key is unknown: check AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN.`,
  UnrecognizedClientException: `${rejected} because the access key is unknown: check AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN.`,
  SignatureDoesNotMatch: `${rejected}: the secret does not match the access key, or the clock of this machine is wrong.`,
};
const unreachable = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ETIMEDOUT', 'ENETUNREACH', 'EHOSTUNREACH']);

type Failure = { name?: string; code?: string; message?: string };

/** Returns the missing permission, without the ARNs in the AWS message. */
const deniedAction = (message: string): string => /perform: ([\w-]+:\w+)/.exec(message)?.[1] ?? 'a call of this tool';

/** Whether AWS refused a call because a permission is missing. */
export const isDenied = (error: unknown): boolean =>
  /^(AccessDenied|AuthorizationError)/.test((error as Failure).name ?? '');

/** Returns a sentence explaining an AWS error and what to do, or null for other errors. */
export const explainAwsError = (error: unknown): string | null => {
  const { name = '', code = '', message = '' } = error as Failure;
  // The SDK throws the same error for missing credentials and for an expired SSO session.
  if (name === 'CredentialsProviderError' && /\bSSO\b.*expired/i.test(message)) return SSO_ENDED;
  const known = sentences[name];
  if (known) return known;
  if (/^Region is missing/.test(message)) return NO_REGION;
  if (/^Region not accepted/.test(message)) return WRONG_REGION;
  if (isDenied(error))
    return `The AWS credentials do not allow ${deniedAction(message)}: use others, or have the permission added.`;
  if (name === 'ResourceNotFoundException')
    return 'AWS has no such table: check its name, the region (AWS_REGION) and the account (AWS_PROFILE).';
  if (unreachable.has(code) || name === 'TimeoutError' || name === 'TableUnavailable')
    return 'AWS or the endpoint cannot be reached: check the network, the endpoint, and whether AWS_REGION names an existing region.';
  return null;
};

/** Runs a tool. AWS errors that can be explained are rethrown as a UserError with the explanation. */
export const explainingAwsErrors = async <T>(run: () => Promise<T>): Promise<T> => {
  try {
    return await run();
  } catch (error) {
    const sentence = error instanceof UserError ? null : explainAwsError(error);
    throw sentence === null ? error : new UserError(sentence, { cause: error });
  }
};
