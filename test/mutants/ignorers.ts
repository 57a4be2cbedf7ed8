type Node = { type: string; callee?: { property?: { name?: string } } };

/** Leaves out the descriptions and examples of schemas, `.meta({ … })`: they are texts of the API document, without behaviour. */
const meta = {
  shouldIgnore({ node, parent }: { node: Node; parent?: Node }): string | undefined {
    const isMeta = node.type === 'ObjectExpression' && parent?.callee?.property?.name === 'meta';
    return isMeta ? 'texts of the API document' : undefined;
  },
};

/** What Stryker loads. */
export const strykerPlugins = [{ kind: 'Ignore', name: 'meta', value: meta }];
