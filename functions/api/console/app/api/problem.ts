import type { InvalidRequest } from 'openapi';

type Fault = InvalidRequest['errors'][number];

/** An error answer of the API. Its message is in the language of the user. */
export class Problem extends Error {
  readonly status: number;
  /** The errors of single fields of the body. */
  readonly faults: readonly Fault[];
  constructor(status: number, message: string, faults: readonly Fault[] = []) {
    super(message);
    this.status = status;
    this.faults = faults;
  }
}

export const statusOf = (error: unknown): number => (error instanceof Problem ? error.status : 0);

/** The error message of a field of a form; undefined when there is none. */
export const faultOf = (error: unknown, path: string): string | undefined =>
  error instanceof Problem ? error.faults.find((fault) => fault.path === path)?.message : undefined;

type Answered<T> = { data?: T; error?: unknown; response: Response };

const bodyOf = <T>({ data, error, response }: Answered<T>): T => {
  if (response.ok && data !== undefined) return data;
  const { message = response.statusText, errors = [] } = Object(error) as Partial<InvalidRequest>;
  throw new Problem(response.status, message, errors);
};

/** Gives the body of a successful answer; throws a Problem for any other answer. */
export const ok = async <T>(call: Promise<Answered<T>>): Promise<T> => bodyOf(await call);

/**
 * Gives the page of a list with a limited count: `isWhole` is false when the list has more entries than its `total`.
 */
export const okPage = async <T extends object>(call: Promise<Answered<readonly T[]>>) => {
  const answer = await call;
  const isWhole = answer.response.headers.get('X-Total-Is') !== 'at-least';
  return bodyOf(answer).map((page) => ({ ...page, isWhole }));
};
