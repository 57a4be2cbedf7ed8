import type { InvalidRequest } from 'openapi';

type Fault = InvalidRequest['errors'][number];

/** What the API refused: its message is for people, in their language. */
export class Problem extends Error {
  readonly status: number;
  /** What is wrong with which field of a body. */
  readonly faults: readonly Fault[];
  constructor(status: number, message: string, faults: readonly Fault[] = []) {
    super(message);
    this.status = status;
    this.faults = faults;
  }
}

export const statusOf = (error: unknown): number => (error instanceof Problem ? error.status : 0);

/** The complaint about a field, for its place in a form; undefined while there is none. */
export const faultOf = (error: unknown, path: string): string | undefined =>
  error instanceof Problem ? error.faults.find((fault) => fault.path === path)?.message : undefined;

type Answered<T> = { data?: T; error?: unknown; response: Response };

/** The body of a success; throws a Problem for anything else. */
export const ok = async <T>(call: Promise<Answered<T>>): Promise<T> => {
  const { data, error, response } = await call;
  if (response.ok && data !== undefined) return data;
  const { message = response.statusText, errors = [] } = Object(error) as Partial<InvalidRequest>;
  throw new Problem(response.status, message, errors);
};
