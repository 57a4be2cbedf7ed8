import { allMutators } from '../../node_modules/@stryker-mutator/instrumenter/dist/src/mutators/mutate.js';

type Mutator = (typeof allMutators)[number];
type NumberPath = { isNumericLiteral(): boolean; key: string | number | null; node: { value: number } };

/** Adds 1 to a number: a limit, a duration, an index. Not to the keys of objects. */
const numericLiteral = {
  name: 'NumericLiteral',
  *mutate(path: NumberPath) {
    if (path.isNumericLiteral() && path.key !== 'key') yield { type: 'NumericLiteral', value: path.node.value + 1 };
  },
};

/** Adds numbers to what Stryker changes. It has no mutator for them, and plugins cannot add one. */
export const changeNumbers = (): void => {
  allMutators.push(numericLiteral as unknown as Mutator);
};
