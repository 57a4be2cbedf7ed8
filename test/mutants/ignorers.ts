type Node = { type: string; callee?: { property?: { name?: string } }; id?: { name?: string } };

/**
 * Leaves out the descriptions and examples of schemas, `.meta({ … })` and `const example = { … }`: they are texts of
 * the API document, without behavior.
 */
const meta = {
  shouldIgnore({ node, parent }: { node: Node; parent?: Node }): string | undefined {
    const isText = parent?.callee?.property?.name === 'meta' || parent?.id?.name === 'example';
    return node.type === 'ObjectExpression' && isText ? 'texts of the API document' : undefined;
  },
};

/** What Stryker loads. */
export const strykerPlugins = [{ kind: 'Ignore', name: 'meta', value: meta }];
