import type { InvalidRequest } from '#openapi';

type Fault = InvalidRequest['errors'][number];

/** An error response from the API. The message is in the user's language; the code is the same in every language. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  /** The `X-Error-Code`, such as `rule_not_found`; '' if the response came from a proxy. */
  readonly code: string;
  /** Errors in individual body fields. */
  readonly faults: readonly Fault[];
  constructor(status: number, message: string, faults: readonly Fault[] = [], code = '') {
    super(message);
    this.status = status;
    this.code = code;
    this.faults = faults;
  }
}

/** The result of an openapi-fetch call. */
export type ApiResult<T> = { data?: T; error?: unknown; response: Response };

/** Creates a Problem from a response and its body. */
export const problemOf = (response: Response, error: unknown): Problem => {
  const { message = response.statusText, errors = [] } = Object(error) as Partial<InvalidRequest>;
  return new Problem(response.status, message, errors, response.headers.get('x-error-code') ?? '');
};

/** Returns a response body; throws a Problem if the status is not 2xx. */
export const bodyOf = <T>({ data, error, response }: ApiResult<T>): T => {
  if (response.ok && data !== undefined) return data;
  throw problemOf(response, error);
};

/** Returns the body of a successful response; throws a Problem for any other. */
export const ok = async <T>(call: Promise<ApiResult<T>>): Promise<T> => bodyOf(await call);

/** Returns a Problem's status; 0 for any other error. */
export const statusOf = (error: unknown): number => (error instanceof Problem ? error.status : 0);

/** Returns the error message for a body field; undefined if there is none. */
export const faultOf = (error: unknown, path: string): string | undefined =>
  error instanceof Problem ? error.faults.find((fault) => fault.path === path)?.message : undefined;

/** Describes an error in one line. For a Problem, this includes field errors and the status. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Problem)) return error instanceof Error ? error.message : String(error);
  const faults = error.faults.map(({ path, message }) => `${path} ${message}`);
  return `${[error.message, ...faults].join(': ')} (${error.status})`;
};
