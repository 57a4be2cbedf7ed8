type NumberPath = { isNumericLiteral(): boolean; key: string | number | null; node: { value: number } };
type Mutation = { type: 'NumericLiteral'; value: number };
type Mutator = { name: string; mutate: (path: NumberPath) => Iterable<Mutation> };

/** Adds 1 to a number, such as a limit, a duration or an index, but not to object keys. */
const numericLiteral: Mutator = {
  name: 'NumericLiteral',
  *mutate(path) {
    if (path.isNumericLiteral() && path.key !== 'key') yield { type: 'NumericLiteral', value: path.node.value + 1 };
  },
};

/** Adds a number mutator to Stryker, which has none. Plugins cannot add one, and the mutator list is not exported. */
export const changeNumbers = async (): Promise<void> => {
  const instrumenter = import.meta.resolve('@stryker-mutator/instrumenter');
  const { allMutators } = (await import(new URL('mutators/mutate.js', instrumenter).href)) as {
    allMutators: Mutator[];
  };
  allMutators.push(numericLiteral);
};
