import type { InvalidRequest } from '#openapi';

type Fault = InvalidRequest['errors'][number];

/** An error answer of the API. Its message is in the language of the user, its code is the same in every language. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  /** `X-Error-Code`, such as `rule_not_found`; '' where something between the caller and the service answered. */
  readonly code: string;
  /** The errors of single fields of the body. */
  readonly faults: readonly Fault[];
  constructor(status: number, message: string, faults: readonly Fault[] = [], code = '') {
    super(message);
    this.status = status;
    this.code = code;
    this.faults = faults;
  }
}

/** What a call of openapi-fetch gives. */
export type Answered<T> = { data?: T; error?: unknown; response: Response };

/** Makes a Problem of an answer and its body. */
export const problemOf = (response: Response, error: unknown): Problem => {
  const { message = response.statusText, errors = [] } = Object(error) as Partial<InvalidRequest>;
  return new Problem(response.status, message, errors, response.headers.get('x-error-code') ?? '');
};

/** Gives the body of an answer; throws a Problem for any other status than 2xx. */
export const bodyOf = <T>({ data, error, response }: Answered<T>): T => {
  if (response.ok && data !== undefined) return data;
  throw problemOf(response, error);
};

/** Gives the body of a successful answer; throws a Problem for any other answer. */
export const ok = async <T>(call: Promise<Answered<T>>): Promise<T> => bodyOf(await call);

/** The status of a Problem; 0 for any other error. */
export const statusOf = (error: unknown): number => (error instanceof Problem ? error.status : 0);

/** The error message of a field of a body; undefined when there is none. */
export const faultOf = (error: unknown, path: string): string | undefined =>
  error instanceof Problem ? error.faults.find((fault) => fault.path === path)?.message : undefined;

/** Why something failed, in one line: for a Problem with the errors of single fields, and with the status. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Problem)) return error instanceof Error ? error.message : String(error);
  const faults = error.faults.map(({ path, message }) => `${path} ${message}`);
  return `${[error.message, ...faults].join(': ')} (${error.status})`;
};
