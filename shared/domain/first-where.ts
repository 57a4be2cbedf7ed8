/** The first whole number of `from` (included) to `to` for which a test holds, which holds for all behind it too; `to`: for none. */
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
