/**
 * Returns the first integer from `from` up to, but not including, `to` that passes a test; `to` if none passes. This is
 * a binary search, so every integer after the first match must pass too.
 */
export const firstWhere = async (
  from: number,
  to: number,
  test: (position: number) => Promise<boolean>,
): Promise<number> => {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};
