import { type ApiResult, bodyOf } from '#lib/client/problem.ts';

/** Returns the `after` value in a link to the next part of a list; null if there is no such link. */
export const unreadAfter = (link: string | null): string | null =>
  new URLSearchParams(/^<\?([^>]*)>; rel="next"$/.exec(link ?? '')?.[1]).get('after');

/**
 * Returns a page of a list whose count is limited. `isWhole` is false when the list has more entries than `total`;
 * `after` continues after the entries already read.
 */
export const okPage = async <T extends object>(call: Promise<ApiResult<readonly T[]>>) => {
  const answer = await call;
  const isWhole = answer.response.headers.get('X-Total-Is') !== 'at-least';
  const after = isWhole ? null : unreadAfter(answer.response.headers.get('Link'));
  return bodyOf(answer).map((page) => ({ ...page, isWhole, after }));
};
