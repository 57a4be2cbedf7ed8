import { type ApiResult, bodyOf } from '#lib/client/problem.ts';

/** Returns the page of a list with a limited count. `isWhole` is false when the list has more entries than `total`. */
export const okPage = async <T extends object>(call: Promise<ApiResult<readonly T[]>>) => {
  const answer = await call;
  const isWhole = answer.response.headers.get('X-Total-Is') !== 'at-least';
  return bodyOf(answer).map((page) => ({ ...page, isWhole }));
};
