import { Refusal } from '../refusal.ts';

const NO_CREDENTIALS =
  'There are no AWS credentials here, or none under the name that AWS_PROFILE has: run `aws configure sso` and `aws sso login`, set AWS_PROFILE to a profile that is there, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.';
const NO_REGION = 'No AWS region is chosen: set AWS_REGION (for example eu-central-1), or one in your AWS profile.';
const WRONG_REGION =
  'That is no AWS region: set AWS_REGION to one such as eu-central-1, or mend the one in your AWS profile.';

const SSO_ENDED = 'Your single sign-on at AWS has ended: run `aws sso login`.';

const rejected = 'AWS does not accept these credentials';
/** Sentences for the errors by which AWS and its SDK reject credentials. */
const sentences: Readonly<Record<string, string>> = {
  CredentialsProviderError: NO_CREDENTIALS,
  TokenProviderError: SSO_ENDED,
  ExpiredToken: `${rejected} any more: they have expired. Log in again (aws sso login).`,
  ExpiredTokenException: `${rejected} any more: they have expired. Log in again (aws sso login).`,
  InvalidClientTokenId: `${rejected}: the access key is unknown. Look at AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN.`,
  UnrecognizedClientException: `${rejected}: the access key is unknown. Look at AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN.`,
  SignatureDoesNotMatch: `${rejected}: the secret does not fit the access key, or the clock of this machine is wrong.`,
};
const unreachable = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ETIMEDOUT', 'ENETUNREACH', 'EHOSTUNREACH']);

type Failure = { name?: string; code?: string; message?: string };

/** Gives the missing right, without the ARNs in the message of AWS. */
const deniedAction = (message: string): string => /perform: ([\w-]+:\w+)/.exec(message)?.[1] ?? 'what this tool asks';

/** Gives one sentence about why AWS did not answer, and what to do; null for other errors. */
export const sentenceOf = (error: unknown): string | null => {
  const { name = '', code = '', message = '' } = error as Failure;
  // The SDK has the same error for missing credentials and for an expired SSO session.
  if (name === 'CredentialsProviderError' && /\bSSO\b.*expired/i.test(message)) return SSO_ENDED;
  const known = sentences[name];
  if (known) return known;
  if (/^Region is missing/.test(message)) return NO_REGION;
  if (/^Region not accepted/.test(message)) return WRONG_REGION;
  if (/^(AccessDenied|AuthorizationError)/.test(name))
    return `These AWS credentials do not allow ${deniedAction(message)}: use others, or have that right added.`;
  if (name === 'ResourceNotFoundException')
    return 'AWS has no such table: look at the name, the region (AWS_REGION) and the account (AWS_PROFILE).';
  if (unreachable.has(code) || name === 'TimeoutError' || name === 'TableUnavailable')
    return 'AWS, or the engine that was named, cannot be reached from here: look at the network, the endpoint, and at AWS_REGION, which may name no region that there is.';
  return null;
};

/** Runs a tool. An error of AWS that has a sentence is thrown as a Refusal with this sentence. */
export const withSentences = async <T>(run: () => Promise<T>): Promise<T> => {
  try {
    return await run();
  } catch (error) {
    const sentence = error instanceof Refusal ? null : sentenceOf(error);
    throw sentence === null ? error : new Refusal(sentence, { cause: error });
  }
};
