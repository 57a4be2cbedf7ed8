import { Refusal } from '../refusal.ts';

const NO_CREDENTIALS =
  'There are no AWS credentials here: run `aws configure sso` and `aws sso login`, or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.';
const NO_REGION = 'No AWS region is chosen: set AWS_REGION (for example eu-central-1), or one in your AWS profile.';

const SSO_ENDED = 'Your single sign-on at AWS has ended: run `aws sso login`.';

const rejected = 'AWS does not accept these credentials';
/** What AWS and its SDK say of credentials that are of no use. */
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

/** Which right is missing, without the ARNs of the rest of what AWS says. */
const deniedAction = (message: string): string => /perform: ([\w-]+:\w+)/.exec(message)?.[1] ?? 'what this tool asks';

/** One clear sentence about why AWS did not answer, and what to do; null: it is none of these. */
export const sentenceOf = (error: unknown): string | null => {
  const { name = '', code = '', message = '' } = error as Failure;
  // The SDK has one error for both.
  if (name === 'CredentialsProviderError' && /\bSSO\b.*expired/i.test(message)) return SSO_ENDED;
  const known = sentences[name];
  if (known) return known;
  if (/^Region is missing/.test(message)) return NO_REGION;
  if (/^AccessDenied/.test(name))
    return `These AWS credentials do not allow ${deniedAction(message)}: use others, or have that right added.`;
  if (name === 'ResourceNotFoundException')
    return 'AWS has no such table: look at the name, the region (AWS_REGION) and the account (AWS_PROFILE).';
  if (unreachable.has(code) || name === 'TimeoutError' || name === 'TableUnavailable')
    return 'AWS, or the engine that was named, cannot be reached from here: look at the network, the region and the endpoint.';
  return null;
};

/** Runs a tool; what AWS does not do becomes a Refusal that says so. */
export const withSentences = async <T>(run: () => Promise<T>): Promise<T> => {
  try {
    return await run();
  } catch (error) {
    const sentence = error instanceof Refusal ? null : sentenceOf(error);
    throw sentence === null ? error : new Refusal(sentence, { cause: error });
  }
};
